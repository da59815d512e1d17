ALTER TABLE "forms" ADD COLUMN "confirm" text;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "pending" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_blocks" ADD COLUMN "pending" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "address_key" text;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "confirmed_at" bigint;--> statement-breakpoint
CREATE INDEX "submissions_pending" ON "submissions" USING btree ("form_id","id") WHERE is_spam = 2;--> statement-breakpoint
CREATE INDEX "submissions_address" ON "submissions" USING btree ("form_id","address_key","id") WHERE is_spam = 2;