CREATE TABLE `search_removals` (
	`id` integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`key_id` integer,
	`mode` text NOT NULL,
	`last_seen_at` integer NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_hash_unique` ON `sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `sessions_key` ON `sessions` (`key_id`);--> statement-breakpoint
CREATE TABLE `setup_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
