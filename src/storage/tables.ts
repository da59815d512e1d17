/** The tables of forms, submissions and deliveries, with their foreign keys and indexes. */

import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import { type FieldRule, UNKNOWN_FIELD_NAMES } from '../field-rules/rules.ts';
import type { AliasName } from '../form-values/aliases.ts';
import { CAPTCHA_NAMES } from '../form-values/captchas.ts';
import type { Condition } from '../form-values/conditions.ts';
import type { ContextRules } from '../form-values/context-rules.ts';
import { DEFAULT_FILE_RULES, type FileRules } from '../form-values/file-rules.ts';
import type { MailRoute, NotificationRules } from '../form-values/notification-rules.ts';
import type { PageSettings } from '../form-values/page-settings.ts';
import type { RetentionRules } from '../form-values/retention-rules.ts';
import type { SavedView } from '../form-values/saved-views.ts';
import { DEFAULT_SPAM_SETTINGS, type SpamSettings } from '../form-values/spam-settings.ts';
import type { Autoresponder, ConfirmationMail } from '../form-values/visitor-mails.ts';
import { COUNTERS, type Counter } from './filters.ts';

export const MODES = ['live', 'test'] as const;
export type Mode = (typeof MODES)[number];

export const PERMISSIONS = ['read', 'write', 'delete', 'submit', 'metrics', 'audit', 'admin'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** Entries of the first list make spam; entries of the second prevent it, whatever the score. */
export const LISTS = ['block', 'allow'] as const;
export type ListName = (typeof LISTS)[number];

/** `mail` to owners; `visitor`: mails to visitors. */
export const CHANNELS = ['mail', 'webhook', 'visitor'] as const;
export type ChannelName = (typeof CHANNELS)[number];

/**
 * `gathered`: one of many that a digest stands for. `withheld`: not sent until the owner releases it, as for spam.
 * `captured`: of a test form, shown and never sent. `held`: it waited when the backup was made that was restored, and may have been sent since.
 */
export const DELIVERY_STATES = [
	'waiting',
	'sending',
	'sent',
	'gathered',
	'failed',
	'withheld',
	'held',
	'captured',
] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** `unchecked`: to be scanned; `null`: there is no scanner. */
export const SCAN_VERDICTS = ['unchecked', 'clean', 'infected'] as const;
export type ScanVerdict = (typeof SCAN_VERDICTS)[number];

export const flag = (name: string) => integer(name, { mode: 'boolean' }).notNull().default(false);
export const counter = (name: string) => integer(name).notNull().default(0);
/** A column for each counter of submissions. */
const counters = <Key extends string>(keyOf: (name: Counter) => Key) =>
	Object.fromEntries(COUNTERS.map((name) => [keyOf(name), counter(name)])) as Record<Key, ReturnType<typeof counter>>;
/** A row of a form, gone with it. */
export const formId = () =>
	integer('form_id')
		.notNull()
		.references(() => forms.id, { onDelete: 'cascade' });

/** A form. One with `deletedAt` is only waiting to be swept. */
export const forms = sqliteTable('forms', {
	id: integer('id').primaryKey(),
	mode: text('mode', { enum: MODES }).notNull(),
	slug: text('slug').notNull().unique(),
	name: text('name').notNull(),
	isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
	/** The `to` of `notification`. */
	notificationEmail: text('notification_email'),
	/** `null`: the defaults. */
	notification: text('notification', { mode: 'json' }).$type<NotificationRules>(),
	routes: text('routes', { mode: 'json' }).$type<MailRoute[]>().notNull().default([]),
	/** `null`: that of the server. */
	timeZone: text('time_zone'),
	redirectUrl: text('redirect_url'),
	allowedDomains: text('allowed_domains', { mode: 'json' }).$type<string[]>().notNull().default([]),
	captcha: text('captcha', { enum: CAPTCHA_NAMES }),
	/** `null`: files are rejected. */
	files: text('files', { mode: 'json' }).$type<FileRules>().default(DEFAULT_FILE_RULES),
	/** True if mails carry the files. */
	attachFiles: flag('attach_files'),
	/** It takes submissions from then on, until then, and up to so many; moments as in the API. */
	opensAt: text('opens_at'),
	closesAt: text('closes_at'),
	maxSubmissions: integer('max_submissions'),
	/** Text for visitors while the form is closed. */
	closedText: text('closed_text'),
	views: text('views', { mode: 'json' }).$type<SavedView[]>().notNull().default([]),
	/** The file of `formsrv apply` that has its settings. */
	keptIn: text('kept_in'),
	/** The code of the language that it speaks; `auto`: that of each visitor. */
	language: text('language').notNull().default('auto'),
	/** The owner's words and colour on the pages for visitors; `null`: ours. */
	pages: text('pages', { mode: 'json' }).$type<PageSettings>(),
	autoresponder: text('autoresponder', { mode: 'json' }).$type<Autoresponder>(),
	/** The mail by which a visitor confirms an address; without it submissions wait for nothing. */
	confirm: text('confirm', { mode: 'json' }).$type<ConfirmationMail>(),
	/** Other services of which it understands the control fields. */
	aliases: text('aliases', { mode: 'json' }).$type<AliasName[]>().notNull().default([]),
	/** Data kept beside the fields; `null`: none. */
	context: text('context', { mode: 'json' }).$type<ContextRules>(),
	/** How long its submissions are kept; `null`: for ever. */
	retention: text('retention', { mode: 'json' }).$type<RetentionRules>(),
	spam: text('spam_settings', { mode: 'json' }).$type<SpamSettings>().notNull().default(DEFAULT_SPAM_SETTINGS),
	/** `null`: fields may be anything. */
	fields: text('fields', { mode: 'json' }).$type<FieldRule[]>(),
	/** Those that `fields` does not name. */
	unknownFields: text('unknown_fields', { enum: UNKNOWN_FIELD_NAMES }).notNull().default('keep'),
	deletedAt: integer('deleted_at'),
	// Not under their names of elsewhere: `spam` is a setting.
	...counters((name) => `${name}Count` as const),
	/** Bytes of the files of all its submissions, spam included. */
	fileBytes: counter('file_bytes'),
});

/**
 * Slugs that no form has as its own any more. With `formId` they lead to that form until another takes them; without, they
 * are of a deleted one and not available until `freeAt` (milliseconds since 1970). None of `forms` is among them.
 */
export const formerSlugs = sqliteTable(
	'former_slugs',
	{
		slug: text('slug').primaryKey(),
		formId: integer('form_id').references(() => forms.id, { onDelete: 'cascade' }),
		freeAt: integer('free_at'),
	},
	(table) => [index('former_slugs_form').on(table.formId)],
);

/**
 * A submission. Its id carries its time (see `ids.ts`). `data` is the JSON text exactly as it is returned.
 * `subject` and `replyTo` are what the sender's special fields asked of the notification.
 */
export const submissions = sqliteTable(
	'submissions',
	{
		id: integer('id').primaryKey(),
		formId: integer('form_id')
			.notNull()
			.references(() => forms.id),
		isRead: flag('is_read'),
		isStarred: flag('is_starred'),
		/** The place where it lies, as `PLACE` of `filters.ts` has it; true: in spam. */
		isSpam: flag('is_spam'),
		data: text('data').notNull(),
		spamReason: text('spam_reason'),
		subject: text('subject'),
		replyTo: text('reply_to'),
		/** Findings of the spam rules, as JSON text; `null`: none, the usual case. */
		spamReasons: text('spam_reasons'),
		/** Data kept apart from `data`, as a JSON object; `null`: none. */
		meta: text('meta'),
		/** The keyed hash of the address that is to be confirmed, while it is pending. */
		addressKey: text('address_key'),
		/** When the address was confirmed, in milliseconds since 1970. */
		confirmedAt: integer('confirmed_at'),
		isArchived: flag('is_archived'),
		/** The owner's labels; see `word-lists.ts`. `null`: none. */
		labels: text('labels'),
		/** The owner's words about it. */
		note: text('note'),
	},
	(table) => [
		index('submissions_inbox').on(
			table.formId,
			table.id,
			table.isSpam,
			table.isRead,
			table.isStarred,
			table.isArchived,
		),
		index('submissions_labelled')
			.on(table.formId, table.id, table.labels, table.isSpam, table.isRead, table.isStarred, table.isArchived)
			.where(sql`labels is not null`),
		index('submissions_starred').on(table.formId, table.id).where(sql`is_starred = 1 and is_spam = 0`),
		index('submissions_spam').on(table.formId, table.id).where(sql`is_spam = 1`),
		index('submissions_pending').on(table.formId, table.id).where(sql`is_spam = 2`),
		index('submissions_address').on(table.formId, table.addressKey, table.id).where(sql`is_spam = 2`),
	],
);

/** An entry of a block or allow list, of a form or of all forms of a mode. */
export const listEntries = sqliteTable(
	'list_entries',
	{
		id: integer('id').primaryKey(),
		mode: text('mode', { enum: MODES }).notNull(),
		/** `null`: of all forms of the mode. */
		formId: integer('form_id').references(() => forms.id, { onDelete: 'cascade' }),
		list: text('list', { enum: LISTS }).notNull(),
		/** As `domain:example.com`. */
		entry: text('entry').notNull(),
	},
	(table) => [
		uniqueIndex('list_entries_form').on(table.formId, table.list, table.entry).where(sql`form_id is not null`),
		uniqueIndex('list_entries_mode').on(table.mode, table.list, table.entry).where(sql`form_id is null`),
	],
);

/** A file that a visitor attached to a submission. Its bytes are in the file store, under `key`. */
export const files = sqliteTable(
	'files',
	{
		id: integer('id').primaryKey(),
		formId: integer('form_id')
			.notNull()
			.references(() => forms.id),
		submissionId: integer('submission_id')
			.notNull()
			.references(() => submissions.id, { onDelete: 'cascade' }),
		field: text('field').notNull(),
		/** The last part of the path that the client sent, without control characters. */
		name: text('name').notNull(),
		/** By content. */
		type: text('type').notNull(),
		/** As the client sent it; untrusted. */
		claimedType: text('claimed_type').notNull(),
		bytes: integer('bytes').notNull(),
		/** Hexadecimal. */
		sha256: text('sha256').notNull(),
		/** `null`: the bytes were not kept, because the honeypot was filled in, or are no longer. */
		key: text('key'),
		scan: text('scan', { enum: SCAN_VERDICTS }),
	},
	(table) => [
		index('files_submission').on(table.submissionId),
		index('files_form').on(table.formId, table.id),
		uniqueIndex('files_key').on(table.key).where(sql`key is not null`),
		index('files_unchecked').on(table.id).where(sql`scan = 'unchecked'`),
	],
);

/** Submissions that were imported, each by a hash of its form, time and fields, so that what is imported twice is there once. */
export const imports = sqliteTable('imports', {
	submissionId: integer('submission_id')
		.primaryKey()
		.references(() => submissions.id, { onDelete: 'cascade' }),
	hash: text('hash').notNull().unique(),
});

/**
 * Keys whose objects the file store is to remove, unless a row of `files` has the key. A new file has its key here before its
 * submission is stored, `dueAt` (milliseconds since 1970) long after that; 0 of a removed one.
 */
export const removedFiles = sqliteTable('removed_files', {
	key: text('key').primaryKey(),
	dueAt: integer('due_at').notNull().default(0),
});

/** Counts of consecutive runs of about a thousand submissions, so that deep pages and counts skip instead of scan. */
export const submissionBlocks = sqliteTable(
	'submission_blocks',
	{
		formId: formId(),
		firstId: integer('first_id').notNull(),
		...counters((name) => name),
	},
	(table) => [uniqueIndex('submission_blocks_unique').on(table.formId, table.firstId)],
);

/** The response that an Idempotency-Key of a form got already. */
export const idempotencyKeys = sqliteTable(
	'idempotency_keys',
	{
		formId: formId(),
		key: text('key').notNull(),
		/** SHA-256 of what was submitted, hexadecimal. */
		bodyHash: text('body_hash').notNull(),
		/** Where the first response led; `null` for the thank-you page. */
		next: text('next'),
		/** The id of the submission that it named; that of no submission for a robot. */
		submissionId: integer('submission_id'),
		createdAt: integer('created_at').notNull(),
	},
	(table) => [
		uniqueIndex('idempotency_keys_unique').on(table.formId, table.key),
		index('idempotency_keys_age').on(table.createdAt),
	],
);

/** A target that a form's events are posted to. */
export const webhooks = sqliteTable(
	'webhooks',
	{
		id: integer('id').primaryKey(),
		formId: formId(),
		url: text('url').notNull(),
		secret: text('secret').notNull(),
		/** The secrets before the latest rotation, between blanks, the latest first: they sign too until that moment (milliseconds since 1970). */
		previousSecret: text('previous_secret'),
		previousSecretUntil: integer('previous_secret_until'),
		events: text('events', { mode: 'json' }).$type<string[]>().notNull(),
		name: text('name').notNull().default(''),
		format: text('format').notNull().default('standard'),
		include: text('include').notNull().default('summary'),
		/** Those of the owner, by their names; their values are secrets. */
		headers: text('headers', { mode: 'json' }).$type<Record<string, string>>(),
		/** The owner's, for the format `custom`. */
		body: text('body', { mode: 'json' }).$type<object>(),
		/** Without them, whatever was submitted is posted. */
		where: text('conditions', { mode: 'json' }).$type<Condition[]>(),
		isActive: integer('is_active', { mode: 'boolean' }).notNull().default(true),
		disabledReason: text('disabled_reason'),
		/** When the present run of failures began, in milliseconds since 1970. */
		failingSince: integer('failing_since'),
	},
	(table) => [index('webhooks_form').on(table.formId)],
);

/** The outbox: deliveries, written in the transaction of their cause. */
export const deliveries = sqliteTable(
	'deliveries',
	{
		id: integer('id').primaryKey(),
		formId: formId(),
		submissionId: integer('submission_id').references(() => submissions.id, { onDelete: 'cascade' }),
		channel: text('channel', { enum: CHANNELS }).notNull(),
		webhookId: integer('webhook_id').references(() => webhooks.id, { onDelete: 'cascade' }),
		event: text('event').notNull().default('submission.created'),
		state: text('state', { enum: DELIVERY_STATES }).notNull(),
		destination: text('destination').notNull(),
		attempts: counter('attempts'),
		/**
		 * When it is due, in milliseconds since 1970; `null` if nothing is to happen any more. While it is being
		 * sent, the end of the lease: a crash gives it back.
		 */
		nextAttemptAt: integer('next_attempt_at'),
		finishedAt: integer('finished_at'),
		lastError: text('last_error'),
		/** The delivery that stands for this one, if it was gathered. */
		digestId: integer('digest_id'),
		/** The sent content; JSON text. */
		content: text('content'),
		/** The language of the visitor that it goes to. */
		language: text('language'),
	},
	(table) => [
		index('deliveries_due')
			.on(table.channel, table.webhookId, table.nextAttemptAt)
			.where(sql`next_attempt_at is not null`),
		// One for each way to filter a list, of one channel at a time, so that a page is read from where it begins.
		index('deliveries_form').on(table.formId, table.channel, table.id),
		index('deliveries_form_state').on(table.formId, table.state, table.channel, table.id),
		index('deliveries_state').on(table.state, table.channel, table.id),
		index('deliveries_channel').on(table.channel, table.id),
		index('deliveries_submission').on(table.submissionId),
		index('deliveries_webhook').on(table.webhookId),
		index('deliveries_digest').on(table.digestId, table.id).where(sql`digest_id is not null`),
		index('deliveries_content_age').on(table.finishedAt).where(sql`content is not null`),
	],
);

/** The clock was set; see `timeline.ts`. Moments in milliseconds since 1970. PostgreSQL has those that came from a file. */
export const clockSteps = sqliteTable('clock_steps', {
	/** Ids from here on … */
	fromId: integer('from_id').primaryKey(),
	/** … run so far ahead of the clock. */
	offsetMs: integer('offset_ms').notNull(),
	/** Time of the clock last before the step, and first after it. */
	beforeMs: integer('before_ms').notNull(),
	afterMs: integer('after_ms').notNull(),
	/** No id since the step before stands for a later moment. */
	endMs: integer('end_ms').notNull().default(0),
});

/** Values that the server itself must remember, such as the secret that signs captcha challenges. */
export const serverValues = sqliteTable('server_values', {
	name: text('name').primaryKey(),
	value: text('value').notNull(),
});

/** Solved captcha challenges and test tokens that were used and have not expired yet, so that none counts twice. */
export const usedChallenges = sqliteTable(
	'spent_challenges',
	{
		challenge: text('challenge').primaryKey(),
		/** Milliseconds since 1970. */
		expiresAt: integer('expires_at').notNull(),
	},
	(table) => [index('spent_challenges_age').on(table.expiresAt)],
);

/** The counts of submissions that the engine keeps in the row of a form. */
export const FORM_COUNTS = COUNTERS.map((name) => `${name}Count` as const);
/** Without them; see `submissions.counts`. */
export type FormRow = Omit<typeof forms.$inferSelect, (typeof FORM_COUNTS)[number] | 'fileBytes'>;
export type WebhookRow = typeof webhooks.$inferSelect;
export type DeliveryRow = typeof deliveries.$inferSelect;
