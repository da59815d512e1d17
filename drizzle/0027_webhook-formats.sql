ALTER TABLE `webhooks` ADD `name` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `format` text DEFAULT 'standard' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `include` text DEFAULT 'summary' NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `headers` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `body` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `conditions` text;