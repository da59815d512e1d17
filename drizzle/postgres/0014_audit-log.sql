CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY NOT NULL,
	"mode" text NOT NULL,
	"action" text NOT NULL,
	"actor" text NOT NULL,
	"session" text,
	"form_id" bigint,
	"object" text,
	"address" text,
	"details" text,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "audit_log_mode" ON "audit_log" USING btree ("mode","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor","id");--> statement-breakpoint
CREATE INDEX "audit_log_form" ON "audit_log" USING btree ("form_id","id");--> statement-breakpoint
CREATE INDEX "audit_log_object" ON "audit_log" USING btree ("object","id");