ALTER TABLE `deliveries` ADD `digest_id` integer;--> statement-breakpoint
CREATE INDEX `deliveries_digest` ON `deliveries` (`digest_id`,`id`) WHERE digest_id is not null;