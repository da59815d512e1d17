CREATE TABLE `spam_marks` (
	`submission_id` integer PRIMARY KEY NOT NULL,
	`form_id` integer NOT NULL,
	`is_spam` integer DEFAULT false NOT NULL,
	`learnt_spam` integer,
	`lesson` integer,
	FOREIGN KEY (`submission_id`) REFERENCES `submissions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `spam_marks_form` ON `spam_marks` (`form_id`);--> statement-breakpoint
CREATE INDEX `spam_marks_due` ON `spam_marks` (`submission_id`) WHERE learnt_spam is null or learnt_spam <> is_spam;--> statement-breakpoint
CREATE TABLE `spam_models` (
	`id` integer PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`mode` text NOT NULL,
	`form_id` integer,
	`spam` integer NOT NULL,
	`ham` integer NOT NULL,
	`counts` text NOT NULL,
	FOREIGN KEY (`form_id`) REFERENCES `forms`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `spam_models_form` ON `spam_models` (`form_id`);