ALTER TABLE "forms" ADD COLUMN "fields" text;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "unknown_fields" text DEFAULT 'keep' NOT NULL;