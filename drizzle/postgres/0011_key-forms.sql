CREATE TABLE "key_forms" (
	"key_id" bigint NOT NULL,
	"form_id" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "spam_marks" ADD COLUMN "for_all" bigint;--> statement-breakpoint
ALTER TABLE "spam_marks" ADD COLUMN "learnt_for_all" bigint;--> statement-breakpoint
ALTER TABLE "key_forms" ADD CONSTRAINT "key_forms_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_forms" ADD CONSTRAINT "key_forms_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "key_forms_unique" ON "key_forms" USING btree ("key_id","form_id");--> statement-breakpoint
CREATE INDEX "key_forms_form" ON "key_forms" USING btree ("form_id");--> statement-breakpoint
CREATE INDEX "spam_marks_due_for_all" ON "spam_marks" USING btree ("submission_id") WHERE coalesce(for_all, is_spam) <> coalesce(learnt_for_all, learnt_spam, 2);