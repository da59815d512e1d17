ALTER TABLE `forms` ADD `fields` text;--> statement-breakpoint
ALTER TABLE `forms` ADD `unknown_fields` text DEFAULT 'keep' NOT NULL;