/** The one statement that stores a batch of submissions, with all that belongs to them. */

import type { NewSubmission } from '../submission.ts';
import { FITTING } from './bounded-forms.ts';
import { numbers, strings, type Value } from './connection.ts';

/** A submission on its way in. */
export interface Stored {
	row: NewSubmission;
	/** Its id: the one in `row`, or a later one if that has become too old. */
	id: number;
	/** Which fields it has; see `field-names.ts`. */
	shape: number;
}

export interface Insert {
	text: string;
	values: Value[];
}

interface InsertOptions {
	/** The number under which this process makes ids, and its token: without them nothing is stored. */
	number: number;
	token: string;
	/** How old an id may be when the statement begins; no bound for `Infinity`. */
	oldestMs: number;
	/** Whether bounded forms may be among them, which are locked then. */
	isCounted: boolean;
}

/** Too old for any bound. */
const UNBOUNDED_MS = 1e15;

/**
 * Returns one row: how many were stored, and the ids of those if not all were. A deletion of a form locks its row against
 * this statement, which looks for it and locks it, once for all of its submissions.
 */
export function insertOf(batch: readonly Stored[], { number, token, oldestMs, isCounted }: InsertOptions): Insert {
	const parts = {
		keys: batch.some(({ row }) => row.idempotencyKey !== undefined),
		deliveries: batch.some(({ row }) => row.deliveries !== undefined && row.deliveries.length > 0),
		files: batch.some(({ row }) => row.files !== undefined && row.files.length > 0),
	};
	const list = createValues();
	const of = <T>(pick: (one: Stored) => T) => batch.map(pick);
	const formIds = [...new Set(batch.map(({ row }) => row.formId))];
	const ctes = [
		`me as (select from servers where number = ${list.add(number)} and token = ${list.add(token)})`,
		`s as (select * from unnest(${list.numbers(of(({ id }) => id))}, ${list.numbers(of(({ row }) => row.formId))},
			${list.numbers(of(({ row }) => (row.spamReason === null ? 0 : 1)))}, ${list.strings(of(({ row }) => row.data))},
			${list.strings(of(({ row }) => row.spamReason))}, ${list.strings(of(({ row }) => row.subject))},
			${list.strings(of(({ row }) => row.replyTo))}, ${list.strings(of(({ row }) => row.spamReasons))},
			${list.strings(of(({ row }) => row.meta))}, ${list.numbers(of(({ shape }) => shape))}
			${parts.keys ? `, ${keyColumns(list, batch)}` : ''})
			s (id, form_id, is_spam, data, spam_reason, subject, reply_to, spam_reasons, meta, shape${parts.keys ? ', key, body_hash, next, created_at, told_id' : ''}))`,
		`f as materialized (select id, max_submissions, total, folded_to from forms where id = any(${list.numbers(formIds)}) and deleted_at is null
			${isCounted ? '' : 'and max_submissions is null'} order by id for key share)`,
		`${isCounted ? 'a' : 'ok'} as (select s.* from s join f on f.id = s.form_id where exists (select from me)
			and s.id >= ((extract(epoch from now()) * 1000)::bigint - ${list.add(Number.isFinite(oldestMs) ? oldestMs : UNBOUNDED_MS)}::text::bigint) * 2048)`,
	];
	if (isCounted) ctes.push(...FITTING);
	if (parts.keys) ctes.push(storeKeys(list, batch));
	const mayStore = parts.keys
		? 'where ok.key is null or exists (select from k where k.form_id = ok.form_id and k.key = ok.key)'
		: '';
	ctes.push(
		`ins as (insert into submissions (id, form_id, is_spam, data, spam_reason, subject, reply_to, spam_reasons, meta, shape)
			select id, form_id, is_spam::smallint, data, spam_reason, subject, reply_to, spam_reasons, meta, shape from ok ${mayStore}
			on conflict (id) do nothing returning id)`,
	);
	if (parts.deliveries) ctes.push(storeDeliveries(list, batch));
	if (parts.files) ctes.push(...storeFiles(list, batch));
	const text = `with ${ctes.join(', ')}
		select count(*)::int, case when count(*) < ${list.add(batch.length)}::text::int then array_agg(id)::text end from ins`;
	return { text, values: list.values };
}

type Values = ReturnType<typeof createValues>;

/** The parameters of a statement, and what stands for them in its text. */
function createValues() {
	const values: Value[] = [];
	const add = (value: Value) => `$${values.push(typeof value === 'number' ? `${value}` : value)}`;
	return {
		values,
		add: (value: Value) => (typeof value === 'number' ? `${add(value)}::text::bigint` : add(value)),
		numbers: (list: readonly (number | null)[]) => `${add(numbers(list))}::text::bigint[]`,
		strings: (list: readonly (string | null | undefined)[]) => `${add(strings(list))}::text::text[]`,
	};
}

function keyColumns(list: Values, batch: readonly Stored[]): string {
	const of = <T>(pick: (key: NewSubmission['idempotencyKey']) => T) => batch.map(({ row }) => pick(row.idempotencyKey));
	return [
		list.strings(of((key) => key?.key)),
		list.strings(of((key) => key?.bodyHash)),
		list.strings(of((key) => key?.next)),
		list.numbers(of((key) => key?.createdAt ?? null)),
		// The first response names the submission, unless it went to a robot.
		list.numbers(
			batch.map(({ id, row }) =>
				row.idempotencyKey?.submissionId === row.id ? id : (row.idempotencyKey?.submissionId ?? null),
			),
		),
	].join(', ');
}

function storeKeys(list: Values, batch: readonly Stored[]): string {
	const since = Math.min(...batch.map(({ row }) => row.idempotencyKey?.since ?? Number.MAX_SAFE_INTEGER));
	return `k as (insert into idempotency_keys (form_id, key, body_hash, next, created_at, submission_id)
		select form_id, key, body_hash, next, created_at, told_id from ok where key is not null
		on conflict (form_id, key) do update set body_hash = excluded.body_hash, next = excluded.next,
			submission_id = excluded.submission_id, created_at = excluded.created_at where idempotency_keys.created_at <= ${list.add(since)} returning form_id, key)`;
}

/** A delivery to a webhook that was deleted meanwhile is left out. */
function storeDeliveries(list: Values, batch: readonly Stored[]): string {
	const rows = batch.flatMap(({ id, row }) =>
		(row.deliveries ?? []).map((delivery) => ({ ...delivery, submissionId: id, formId: row.formId })),
	);
	const of = <T>(pick: (row: (typeof rows)[number]) => T) => rows.map(pick);
	return `d as (insert into deliveries (id, form_id, submission_id, channel, webhook_id, event, state, destination,
			next_attempt_at, last_error)
		select d.* from unnest(${list.numbers(of(({ id }) => id as number))}, ${list.numbers(of(({ formId }) => formId))},
			${list.numbers(of(({ submissionId }) => submissionId))}, ${list.strings(of(({ channel }) => channel))},
			${list.numbers(of(({ webhookId }) => webhookId ?? null))}, ${list.strings(of(({ event }) => event ?? 'submission.created'))},
			${list.strings(of(({ state }) => state))}, ${list.strings(of(({ destination }) => destination))},
			${list.numbers(of(({ nextAttemptAt }) => nextAttemptAt ?? null))}, ${list.strings(of(({ lastError }) => lastError))})
			d (id, form_id, submission_id, channel, webhook_id, event, state, destination, next_attempt_at, last_error)
		join ins on ins.id = d.submission_id
		where d.webhook_id is null or exists (select from webhooks where webhooks.id = d.webhook_id))`;
}

function storeFiles(list: Values, batch: readonly Stored[]): string[] {
	const rows = batch.flatMap(({ id, row }) =>
		(row.files ?? []).map((file) => ({ ...file, submissionId: id, formId: row.formId })),
	);
	const of = <T>(pick: (row: (typeof rows)[number]) => T) => rows.map(pick);
	return [
		`fs as (insert into files (id, form_id, submission_id, field, name, type, claimed_type, bytes, sha256, key, scan)
			select x.* from unnest(${list.numbers(of(({ id }) => id))}, ${list.numbers(of(({ formId }) => formId))},
				${list.numbers(of(({ submissionId }) => submissionId))}, ${list.strings(of(({ field }) => field))},
				${list.strings(of(({ name }) => name))}, ${list.strings(of(({ type }) => type))},
				${list.strings(of(({ claimedType }) => claimedType))}, ${list.numbers(of(({ bytes }) => bytes))},
				${list.strings(of(({ sha256 }) => sha256))}, ${list.strings(of(({ key }) => key))}, ${list.strings(of(({ scan }) => scan))})
				x (id, form_id, submission_id, field, name, type, claimed_type, bytes, sha256, key, scan)
			join ins on ins.id = x.submission_id returning form_id, key, bytes)`,
		`fb as (update forms set file_bytes = file_bytes + b.bytes
			from (select form_id, sum(bytes)::bigint bytes from fs where key is not null group by form_id) b where forms.id = b.form_id)`,
	];
}
