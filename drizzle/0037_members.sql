ALTER TABLE `api_keys` ADD `email` text;--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_member` ON `api_keys` (`email`) WHERE email is not null and revoked_at is null;