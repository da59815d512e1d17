ALTER TABLE `forms` ADD `notification` text;--> statement-breakpoint
ALTER TABLE `forms` ADD `routes` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `time_zone` text;