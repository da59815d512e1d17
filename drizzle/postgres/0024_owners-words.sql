DROP INDEX "submissions_inbox";--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "views" text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "archived" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "archived_unread" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "archived_starred" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "archived_spam" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "archived_pending" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_blocks" ADD COLUMN "archived" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_blocks" ADD COLUMN "archived_unread" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_blocks" ADD COLUMN "archived_starred" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_blocks" ADD COLUMN "archived_spam" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submission_blocks" ADD COLUMN "archived_pending" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "is_archived" smallint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "labels" text;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "note" text;--> statement-breakpoint
CREATE INDEX "submissions_labelled" ON "submissions" USING btree ("form_id","id","labels","is_spam","is_read","is_starred","is_archived") WHERE labels is not null;--> statement-breakpoint
CREATE INDEX "submissions_inbox" ON "submissions" USING btree ("form_id","id","is_spam","is_read","is_starred","is_archived");