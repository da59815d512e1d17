CREATE TABLE `clock_steps` (
	`from_id` integer PRIMARY KEY NOT NULL,
	`offset_ms` integer NOT NULL,
	`before_ms` integer NOT NULL,
	`after_ms` integer NOT NULL
);
