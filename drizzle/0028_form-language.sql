ALTER TABLE `forms` ADD `language` text DEFAULT 'auto' NOT NULL;--> statement-breakpoint
ALTER TABLE `forms` ADD `pages` text;