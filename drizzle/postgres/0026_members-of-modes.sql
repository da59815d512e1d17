DROP INDEX "api_keys_member";--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_member" ON "api_keys" USING btree ("email","mode") WHERE email is not null and revoked_at is null;