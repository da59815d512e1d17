CREATE TABLE `files` (
	`id` integer PRIMARY KEY NOT NULL,
	`form_id` integer NOT NULL,
	`submission_id` integer NOT NULL,
	`field` text NOT NULL,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`claimed_type` text NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text NOT NULL,
	`key` text,
	`scan` text,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `files_submission` ON `files` (`submission_id`);--> statement-breakpoint
CREATE INDEX `files_form` ON `files` (`form_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `files_key` ON `files` (`key`) WHERE key is not null;--> statement-breakpoint
CREATE INDEX `files_unchecked` ON `files` (`id`) WHERE scan = 'unchecked';--> statement-breakpoint
CREATE TABLE `removed_files` (
	`key` text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
ALTER TABLE `forms` ADD `files` text DEFAULT '{"maxFiles":5,"maxBytes":10485760,"types":[]}';--> statement-breakpoint
ALTER TABLE `forms` ADD `file_bytes` integer DEFAULT 0 NOT NULL;