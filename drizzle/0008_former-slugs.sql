CREATE TABLE `former_slugs` (
	`slug` text PRIMARY KEY NOT NULL,
	`form_id` integer,
	`free_at` integer,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `former_slugs_form` ON `former_slugs` (`form_id`);