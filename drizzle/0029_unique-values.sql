CREATE TABLE `unique_values` (
	`form_id` integer NOT NULL,
	`hash` text NOT NULL,
	`submission_id` integer NOT NULL,
	`is_held` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `unique_values_submission` ON `unique_values` (`submission_id`,`hash`,`is_held`);--> statement-breakpoint
CREATE UNIQUE INDEX `unique_values_held` ON `unique_values` (`form_id`,`hash`) WHERE is_held = 1;