CREATE TABLE "api_keys" (
	"id" bigint PRIMARY KEY NOT NULL,
	"mode" text NOT NULL,
	"form_id" bigint,
	"name" text DEFAULT '' NOT NULL,
	"permissions" text NOT NULL,
	"hash" text NOT NULL,
	"display" text NOT NULL,
	"expires_at" bigint,
	"revoked_at" bigint,
	"last_used_at" bigint,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" bigint PRIMARY KEY NOT NULL,
	"form_id" bigint NOT NULL,
	"submission_id" bigint,
	"channel" text NOT NULL,
	"webhook_id" bigint,
	"event" text DEFAULT 'submission.created' NOT NULL,
	"state" text NOT NULL,
	"destination" text NOT NULL,
	"attempts" bigint DEFAULT 0 NOT NULL,
	"next_attempt_at" bigint,
	"finished_at" bigint,
	"last_error" text,
	"digest_id" bigint,
	"content" text
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" bigint PRIMARY KEY NOT NULL,
	"form_id" bigint NOT NULL,
	"submission_id" bigint NOT NULL,
	"field" text NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"claimed_type" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"key" text,
	"scan" text
);
--> statement-breakpoint
CREATE TABLE "form_shapes" (
	"form_id" bigint NOT NULL,
	"shape" bigint NOT NULL,
	"names" text NOT NULL,
	"first_id" bigint NOT NULL,
	CONSTRAINT "form_shapes_form_id_shape_pk" PRIMARY KEY("form_id","shape")
);
--> statement-breakpoint
CREATE TABLE "former_slugs" (
	"slug" text PRIMARY KEY NOT NULL,
	"form_id" bigint,
	"free_at" bigint,
	"rowid" bigserial NOT NULL
);
--> statement-breakpoint
CREATE TABLE "forms" (
	"id" bigint PRIMARY KEY NOT NULL,
	"mode" text NOT NULL,
	"slug" text NOT NULL,
	"name" text NOT NULL,
	"is_active" smallint DEFAULT 1 NOT NULL,
	"notification_email" text,
	"redirect_url" text,
	"allowed_domains" text DEFAULT '[]' NOT NULL,
	"captcha" text,
	"files" text DEFAULT '{"maxFiles":5,"maxBytes":10485760,"types":[]}',
	"deleted_at" bigint,
	"total" bigint DEFAULT 0 NOT NULL,
	"unread" bigint DEFAULT 0 NOT NULL,
	"starred" bigint DEFAULT 0 NOT NULL,
	"spam" bigint DEFAULT 0 NOT NULL,
	"file_bytes" bigint DEFAULT 0 NOT NULL,
	"folded_to" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "forms_slug_unique" UNIQUE("slug")
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"form_id" bigint NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"next" text,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "removed_files" (
	"key" text PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_texts" (
	"id" bigint PRIMARY KEY NOT NULL,
	"form_id" bigint NOT NULL,
	"text" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "server_values" (
	"name" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "servers" (
	"number" smallint PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"seen_at" timestamp with time zone NOT NULL,
	"last_id" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" bigint PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"key_id" bigint,
	"mode" text NOT NULL,
	"last_seen_at" bigint NOT NULL,
	CONSTRAINT "sessions_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "settings_version" (
	"number" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "setup_links" (
	"hash" text PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "spent_challenges" (
	"challenge" text PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "submission_blocks" (
	"form_id" bigint NOT NULL,
	"first_id" bigint NOT NULL,
	"total" bigint DEFAULT 0 NOT NULL,
	"unread" bigint DEFAULT 0 NOT NULL,
	"starred" bigint DEFAULT 0 NOT NULL,
	"spam" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "submissions" (
	"id" bigint PRIMARY KEY NOT NULL,
	"form_id" bigint NOT NULL,
	"is_read" smallint DEFAULT 0 NOT NULL,
	"is_starred" smallint DEFAULT 0 NOT NULL,
	"is_spam" smallint DEFAULT 0 NOT NULL,
	"data" text NOT NULL,
	"spam_reason" text,
	"subject" text,
	"reply_to" text,
	"shape" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" bigint PRIMARY KEY NOT NULL,
	"form_id" bigint NOT NULL,
	"url" text NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_secret_until" bigint,
	"events" text NOT NULL,
	"is_active" smallint DEFAULT 1 NOT NULL,
	"disabled_reason" text,
	"failing_since" bigint
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "public"."webhooks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_submission_id_submissions_id_fk" FOREIGN KEY ("submission_id") REFERENCES "public"."submissions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "former_slugs" ADD CONSTRAINT "former_slugs_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submission_blocks" ADD CONSTRAINT "submission_blocks_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_form_id_forms_id_fk" FOREIGN KEY ("form_id") REFERENCES "public"."forms"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_form" ON "api_keys" USING btree ("form_id");--> statement-breakpoint
CREATE INDEX "deliveries_due" ON "deliveries" USING btree ("channel","webhook_id","next_attempt_at") WHERE next_attempt_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_form" ON "deliveries" USING btree ("form_id","channel","id");--> statement-breakpoint
CREATE INDEX "deliveries_form_state" ON "deliveries" USING btree ("form_id","state","channel","id");--> statement-breakpoint
CREATE INDEX "deliveries_state" ON "deliveries" USING btree ("state","channel","id");--> statement-breakpoint
CREATE INDEX "deliveries_channel" ON "deliveries" USING btree ("channel","id");--> statement-breakpoint
CREATE INDEX "deliveries_submission" ON "deliveries" USING btree ("submission_id");--> statement-breakpoint
CREATE INDEX "deliveries_webhook" ON "deliveries" USING btree ("webhook_id");--> statement-breakpoint
CREATE INDEX "deliveries_digest" ON "deliveries" USING btree ("digest_id","id") WHERE digest_id is not null;--> statement-breakpoint
CREATE INDEX "deliveries_content_age" ON "deliveries" USING btree ("finished_at") WHERE content is not null;--> statement-breakpoint
CREATE INDEX "files_submission" ON "files" USING btree ("submission_id");--> statement-breakpoint
CREATE INDEX "files_form" ON "files" USING btree ("form_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "files_key" ON "files" USING btree ("key") WHERE key is not null;--> statement-breakpoint
CREATE INDEX "files_unchecked" ON "files" USING btree ("id") WHERE scan = 'unchecked';--> statement-breakpoint
CREATE INDEX "former_slugs_form" ON "former_slugs" USING btree ("form_id");--> statement-breakpoint
CREATE UNIQUE INDEX "idempotency_keys_unique" ON "idempotency_keys" USING btree ("form_id","key");--> statement-breakpoint
CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "search_texts_parts" ON "search_texts" USING gin ("text" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "sessions_key" ON "sessions" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "spent_challenges_age" ON "spent_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "submission_blocks_unique" ON "submission_blocks" USING btree ("form_id","first_id");--> statement-breakpoint
CREATE INDEX "submissions_inbox" ON "submissions" USING btree ("form_id","id","is_spam","is_read","is_starred");--> statement-breakpoint
CREATE INDEX "submissions_starred" ON "submissions" USING btree ("form_id","id") WHERE is_starred = 1 and is_spam = 0;--> statement-breakpoint
CREATE INDEX "submissions_spam" ON "submissions" USING btree ("form_id","id") WHERE is_spam = 1;--> statement-breakpoint
CREATE INDEX "submissions_shape" ON "submissions" USING btree ("form_id","is_spam","shape");--> statement-breakpoint
CREATE INDEX "webhooks_form" ON "webhooks" USING btree ("form_id");