CREATE TABLE `search_volumes` (
	`number` integer PRIMARY KEY NOT NULL,
	`first_id` integer NOT NULL,
	`last_id` integer NOT NULL,
	`submissions` integer DEFAULT 0 NOT NULL,
	`characters` integer DEFAULT 0 NOT NULL,
	`is_packed` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
-- The index begins anew, in volumes: a server builds it again behind the submissions.
DROP TABLE `search_parts`;
--> statement-breakpoint
DROP TABLE `search_words`;
--> statement-breakpoint
DELETE FROM `search_removals`;
--> statement-breakpoint
DELETE FROM `server_values` WHERE `name` = 'search_indexed_to';
