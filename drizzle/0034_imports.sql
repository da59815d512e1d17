CREATE TABLE `imports` (
	`submission_id` integer PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_hash_unique` ON `imports` (`hash`);--> statement-breakpoint
CREATE TABLE `search_additions` (
	`id` integer PRIMARY KEY NOT NULL
);
