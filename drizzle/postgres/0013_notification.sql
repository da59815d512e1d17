ALTER TABLE "forms" ADD COLUMN "notification" text;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "routes" text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "time_zone" text;