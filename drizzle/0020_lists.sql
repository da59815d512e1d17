CREATE TABLE `list_entries` (
	`id` integer PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`form_id` integer,
	`list` text NOT NULL,
	`entry` text NOT NULL,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `list_entries_form` ON `list_entries` (`form_id`,`list`,`entry`) WHERE form_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `list_entries_mode` ON `list_entries` (`mode`,`list`,`entry`) WHERE form_id is null;