ALTER TABLE `forms` ADD `confirm` text;--> statement-breakpoint
ALTER TABLE `forms` ADD `pending` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `submission_blocks` ADD `pending` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `submissions` ADD `address_key` text;--> statement-breakpoint
ALTER TABLE `submissions` ADD `confirmed_at` integer;--> statement-breakpoint
CREATE INDEX `submissions_pending` ON `submissions` (`form_id`,`id`) WHERE is_spam = 2;--> statement-breakpoint
CREATE INDEX `submissions_address` ON `submissions` (`form_id`,`address_key`,`id`) WHERE is_spam = 2;