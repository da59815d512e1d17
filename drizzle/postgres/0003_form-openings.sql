ALTER TABLE "forms" ADD COLUMN "opens_at" text;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "closes_at" text;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "max_submissions" bigint;--> statement-breakpoint
ALTER TABLE "forms" ADD COLUMN "closed_text" text;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD COLUMN "submission_id" bigint;