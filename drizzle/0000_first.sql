CREATE TABLE `api_keys` (
	`id` integer PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`form_id` integer,
	`name` text DEFAULT '' NOT NULL,
	`permissions` text NOT NULL,
	`hash` text NOT NULL,
	`display` text NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_form` ON `api_keys` (`form_id`);--> statement-breakpoint
CREATE TABLE `deliveries` (
	`id` integer PRIMARY KEY NOT NULL,
	`form_id` integer NOT NULL,
	`submission_id` integer,
	`channel` text NOT NULL,
	`webhook_id` integer,
	`event` text DEFAULT 'submission.created' NOT NULL,
	`state` text NOT NULL,
	`destination` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`next_attempt_at` integer,
	`lease_expires_at` integer,
	`finished_at` integer,
	`last_error` text,
	`content` text,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `deliveries_due` ON `deliveries` (`next_attempt_at`) WHERE state in ('waiting', 'sending');--> statement-breakpoint
CREATE INDEX `deliveries_form` ON `deliveries` (`form_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_submission` ON `deliveries` (`submission_id`);--> statement-breakpoint
CREATE INDEX `deliveries_webhook` ON `deliveries` (`webhook_id`);--> statement-breakpoint
CREATE TABLE `field_names` (
	`id` integer PRIMARY KEY NOT NULL,
	`form_id` integer NOT NULL,
	`is_spam` integer DEFAULT false NOT NULL,
	`name` text NOT NULL,
	`count` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `field_names_unique` ON `field_names` (`form_id`,`is_spam`,`name`);--> statement-breakpoint
CREATE TABLE `forms` (
	`id` integer PRIMARY KEY NOT NULL,
	`mode` text NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`notification_email` text,
	`redirect_url` text,
	`allowed_domains` text DEFAULT '[]' NOT NULL,
	`captcha` text,
	`deleted_at` integer,
	`total` integer DEFAULT 0 NOT NULL,
	`unread` integer DEFAULT 0 NOT NULL,
	`starred` integer DEFAULT 0 NOT NULL,
	`spam` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `forms_slug_unique` ON `forms` (`slug`);--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`form_id` integer NOT NULL,
	`key` text NOT NULL,
	`body_hash` text NOT NULL,
	`next` text,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `idempotency_keys_unique` ON `idempotency_keys` (`form_id`,`key`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_age` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `submission_blocks` (
	`form_id` integer NOT NULL,
	`first_id` integer NOT NULL,
	`total` integer DEFAULT 0 NOT NULL,
	`unread` integer DEFAULT 0 NOT NULL,
	`starred` integer DEFAULT 0 NOT NULL,
	`spam` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `submission_blocks_unique` ON `submission_blocks` (`form_id`,`first_id`);--> statement-breakpoint
CREATE TABLE `submissions` (
	`id` integer PRIMARY KEY NOT NULL,
	`form_id` integer NOT NULL,
	`is_read` integer DEFAULT false NOT NULL,
	`is_starred` integer DEFAULT false NOT NULL,
	`is_spam` integer DEFAULT false NOT NULL,
	`data` text NOT NULL,
	`spam_reason` text,
	`subject` text,
	`reply_to` text,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `submissions_inbox` ON `submissions` (`form_id`,`id`,`is_spam`,`is_read`,`is_starred`);--> statement-breakpoint
CREATE INDEX `submissions_starred` ON `submissions` (`form_id`,`id`) WHERE is_starred = 1 and is_spam = 0;--> statement-breakpoint
CREATE INDEX `submissions_spam` ON `submissions` (`form_id`,`id`) WHERE is_spam = 1;--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` integer PRIMARY KEY NOT NULL,
	`form_id` integer NOT NULL,
	`url` text NOT NULL,
	`secret` text NOT NULL,
	`events` text NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`disabled_reason` text,
	`failing_since` integer,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `webhooks_form` ON `webhooks` (`form_id`);