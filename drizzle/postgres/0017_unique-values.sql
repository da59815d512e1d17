CREATE TABLE "unique_values" (
	"form_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"submission_id" bigint NOT NULL,
	"is_held" smallint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "unique_values" ADD CONSTRAINT "unique_values_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "unique_values_submission" ON "unique_values" USING btree ("submission_id","hash","is_held");--> statement-breakpoint
CREATE UNIQUE INDEX "unique_values_held" ON "unique_values" USING btree ("form_id","hash") WHERE is_held = 1;