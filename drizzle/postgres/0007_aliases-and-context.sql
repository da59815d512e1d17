ALTER TABLE "forms" ADD COLUMN "aliases" text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "context" text;