CREATE TABLE `invitations` (
	`hash` text PRIMARY KEY NOT NULL,
	`key_id` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`key_id`) REFERENCES `api_keys`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `invitations_key` ON `invitations` (`key_id`);