DROP INDEX `submissions_inbox`;--> statement-breakpoint
ALTER TABLE `submissions` ADD `is_archived` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `submissions` ADD `labels` text;--> statement-breakpoint
ALTER TABLE `submissions` ADD `note` text;--> statement-breakpoint
CREATE INDEX `submissions_labelled` ON `submissions` (`form_id`,`id`,`labels`,`is_spam`,`is_read`,`is_starred`,`is_archived`) WHERE labels is not null;--> statement-breakpoint
CREATE INDEX `submissions_inbox` ON `submissions` (`form_id`,`id`,`is_spam`,`is_read`,`is_starred`,`is_archived`);--> statement-breakpoint
ALTER TABLE `forms` ADD `views` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `archived` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `archived_unread` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `archived_starred` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `archived_spam` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `archived_pending` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `submission_blocks` ADD `archived` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `submission_blocks` ADD `archived_unread` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `submission_blocks` ADD `archived_starred` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `submission_blocks` ADD `archived_spam` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `submission_blocks` ADD `archived_pending` integer DEFAULT 0 NOT NULL;