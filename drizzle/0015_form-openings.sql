ALTER TABLE `forms` ADD `opens_at` text;--> statement-breakpoint
ALTER TABLE `forms` ADD `closes_at` text;--> statement-breakpoint
ALTER TABLE `forms` ADD `max_submissions` integer;--> statement-breakpoint
ALTER TABLE `forms` ADD `closed_text` text;--> statement-breakpoint
ALTER TABLE `idempotency_keys` ADD `submission_id` integer;