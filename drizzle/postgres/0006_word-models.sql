CREATE TABLE "spam_marks" (
	"submission_id" bigint PRIMARY KEY NOT NULL,
	"form_id" bigint NOT NULL,
	"is_spam" smallint DEFAULT 0 NOT NULL,
	"learnt_spam" smallint,
	"lesson" bigint
);
--> statement-breakpoint
CREATE TABLE "spam_models" (
	"id" bigint PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL,
	"mode" text NOT NULL,
	"form_id" bigint,
	"spam" bigint NOT NULL,
	"ham" bigint NOT NULL,
	"counts" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "spam_marks" ADD CONSTRAINT "spam_marks_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spam_marks" ADD CONSTRAINT "spam_marks_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "spam_models" ADD CONSTRAINT "spam_models_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "spam_marks_form" ON "spam_marks" USING btree ("form_id");--> statement-breakpoint
CREATE INDEX "spam_marks_due" ON "spam_marks" USING btree ("submission_id") WHERE learnt_spam is null or learnt_spam <> is_spam;--> statement-breakpoint
CREATE INDEX "spam_models_form" ON "spam_models" USING btree ("form_id");