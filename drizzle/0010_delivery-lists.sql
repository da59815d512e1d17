DROP INDEX `deliveries_form`;--> statement-breakpoint
DROP INDEX `deliveries_state`;--> statement-breakpoint
CREATE INDEX `deliveries_form_state` ON `deliveries` (`form_id`,`state`,`channel`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_channel` ON `deliveries` (`channel`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_form` ON `deliveries` (`form_id`,`channel`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_state` ON `deliveries` (`state`,`channel`,`id`);