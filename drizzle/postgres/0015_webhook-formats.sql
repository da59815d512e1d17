ALTER TABLE "webhooks" ADD COLUMN "name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "format" text DEFAULT 'standard' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "include" text DEFAULT 'summary' NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "headers" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "body" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "conditions" text;