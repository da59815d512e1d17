CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`action` text NOT NULL,
	`actor` text NOT NULL,
	`session` text,
	`form_id` integer,
	`object` text,
	`address` text,
	`details` text,
	`count` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_log_mode` ON `audit_log` (`mode`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_action` ON `audit_log` (`action`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`actor`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_form` ON `audit_log` (`form_id`,`id`);--> statement-breakpoint
CREATE INDEX `audit_log_object` ON `audit_log` (`object`,`id`);