DROP INDEX `deliveries_due`;--> statement-breakpoint
CREATE INDEX `deliveries_state` ON `deliveries` (`state`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_content_age` ON `deliveries` (`finished_at`) WHERE content is not null;--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`channel`,`webhook_id`,`next_attempt_at`) WHERE next_attempt_at is not null;--> statement-breakpoint
ALTER TABLE `deliveries` DROP COLUMN `lease_expires_at`;