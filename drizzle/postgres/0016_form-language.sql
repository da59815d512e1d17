ALTER TABLE "forms" ADD COLUMN "language" text DEFAULT 'auto' NOT NULL;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "pages" text;