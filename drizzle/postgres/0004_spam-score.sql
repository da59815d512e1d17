ALTER TABLE "forms" ADD COLUMN "spam_settings" text DEFAULT '{"threshold":5,"honeypot":["_gotcha"]}' NOT NULL;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "spam_reasons" text;--> statement-breakpoint
ALTER TABLE "submissions" ADD COLUMN "meta" text;