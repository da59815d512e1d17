CREATE TABLE `suppressions` (
	`address` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `visitor_mails` (
	`id` integer PRIMARY KEY NOT NULL,
	`address` text NOT NULL,
	`form_id` integer NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`hour` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `visitor_mails_address` ON `visitor_mails` (`address`,`at`);--> statement-breakpoint
CREATE INDEX `visitor_mails_hour` ON `visitor_mails` (`form_id`,`kind`,`hour`);--> statement-breakpoint
CREATE INDEX `visitor_mails_age` ON `visitor_mails` (`at`);--> statement-breakpoint
ALTER TABLE `deliveries` ADD `language` text;--> statement-breakpoint
ALTER TABLE `forms` ADD `autoresponder` text;