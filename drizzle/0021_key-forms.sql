CREATE TABLE `key_forms` (
	`key_id` integer NOT NULL,
	`form_id` integer NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `key_forms_unique` ON `key_forms` (`key_id`,`form_id`);--> statement-breakpoint
CREATE INDEX `key_forms_form` ON `key_forms` (`form_id`);--> statement-breakpoint
ALTER TABLE `spam_marks` ADD `for_all` integer;--> statement-breakpoint
ALTER TABLE `spam_marks` ADD `learnt_for_all` integer;--> statement-breakpoint
CREATE INDEX `spam_marks_due_for_all` ON `spam_marks` (`submission_id`) WHERE coalesce(for_all, is_spam) <> coalesce(learnt_for_all, learnt_spam, 2);