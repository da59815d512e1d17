CREATE TABLE "list_entries" (
	"id" bigint PRIMARY KEY NOT NULL,
	"mode" text NOT NULL,
	"form_id" bigint,
	"list" text NOT NULL,
	"entry" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "list_entries" ADD CONSTRAINT "list_entries_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "list_entries_form" ON "list_entries" USING btree ("form_id","list","entry") WHERE form_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "list_entries_mode" ON "list_entries" USING btree ("mode","list","entry") WHERE form_id is null;