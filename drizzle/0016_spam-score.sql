ALTER TABLE `forms` ADD `spam_settings` text DEFAULT '{"threshold":5,"honeypot":["_gotcha"]}' NOT NULL;--> statement-breakpoint
ALTER TABLE `submissions` ADD `spam_reasons` text;--> statement-breakpoint
ALTER TABLE `submissions` ADD `meta` text;