CREATE TABLE "clock_steps" (
	"from_id" bigint PRIMARY KEY NOT NULL,
	"offset_ms" bigint NOT NULL,
	"before_ms" bigint NOT NULL,
	"after_ms" bigint NOT NULL,
	"end_ms" bigint DEFAULT 0 NOT NULL
);
