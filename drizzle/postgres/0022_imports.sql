CREATE TABLE "imports" (
	"submission_id" bigint PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	CONSTRAINT "imports_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD CONSTRAINT "imports_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;