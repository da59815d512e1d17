CREATE TABLE "suppressions" (
	"address" text PRIMARY KEY NOT NULL,
	"reason" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "visitor_mails" (
	"id" bigint PRIMARY KEY NOT NULL,
	"address" text NOT NULL,
	"form_id" bigint NOT NULL,
	"kind" text NOT NULL,
	"at" bigint NOT NULL,
	"hour" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "language" text;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "autoresponder" text;--> statement-breakpoint
CREATE INDEX "visitor_mails_address" ON "visitor_mails" USING btree ("address","at");--> statement-breakpoint
CREATE INDEX "visitor_mails_hour" ON "visitor_mails" USING btree ("form_id","kind","hour");--> statement-breakpoint
CREATE INDEX "visitor_mails_age" ON "visitor_mails" USING btree ("at");