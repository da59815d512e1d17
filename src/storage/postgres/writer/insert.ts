/** The one statement that stores a batch of submissions, with all that belongs to them. */

import { roomInSql } from '../../file-room.ts';
import { cellOf, DETAILS, detailsOf, KEY_AGAIN, OF_DELIVERY, OF_FILE, OF_KEY } from '../../rows.ts';
import {
	type Arrival,
	holdsValues,
	type NewDelivery,
	type NewSubmission,
	placeOfNew,
	type StoredFile,
} from '../../submission.ts';
import type { Value } from '../../submissions/operation.ts';
import { holder } from '../servers.ts';
import { FITTING } from './bounded-forms.ts';
import { type ColumnsOf, columnNames, createParameters, type Parameter } from './parameters.ts';

/** A submission on its way in. */
export interface Stored extends Arrival {
	/** The set of its fields; see `field-names.ts`. */
	shape: number;
}

export interface Insert {
	text: string;
	values: Value[];
}

interface Sender {
	/** The number under which this process makes ids, and its token: without them nothing is stored. */
	number: number;
	token: string;
	/** How old an id may be when the statement begins; no bound for `Infinity`. */
	oldestMs: number;
	/** True if bounded forms may be among them, or unique values: their forms are locked then. */
	isCounted: boolean;
}

/** A row that belongs to a submission. */
type Of<T> = T & { submissionId: number; formId: number };

interface UniqueValue {
	hash: string;
	isHeld: boolean;
}

interface Batch extends Sender {
	submissions: readonly Stored[];
	deliveries: readonly Of<NewDelivery>[];
	files: readonly Of<StoredFile>[];
	values: readonly Of<UniqueValue>[];
}

/** Optional parts of a batch beside submissions: each combination is a statement of its own. */
interface Parts {
	details: boolean;
	keys: boolean;
	deliveries: boolean;
	files: boolean;
	values: boolean;
	isCounted: boolean;
}

interface Statement {
	text: string;
	parameters: readonly Parameter<Batch>[];
}

/** Submissions with a value that another one holds, or an earlier one of the batch is to hold; their forms are locked. */
const TAKEN = `taken as (select v.submission_id from (select v.*, row_number() over (partition by form_id, hash order by submission_id) place
		from v where is_held = 1) v
	where v.place > 1 or exists (select from unique_values u where u.form_id = v.form_id and u.hash = v.hash and u.is_held = 1))`;

/** Too old for any bound. */
const UNBOUNDED_MS = 1e15;

type Row = Parameters<typeof cellOf>[0];

/** @param of `undefined` where a submission has no such row. */
function columnsFrom<T>(list: typeof DETAILS, of: (row: T) => Row | undefined): ColumnsOf<T> {
	const read = (column: (typeof DETAILS)[number]) => (row: T) => {
		const found = of(row);
		return found && cellOf(found, column);
	};
	return Object.fromEntries(
		list.map((column) => [column.name, [column.kind === 'text' ? 'text' : 'number', read(column)] as const]),
	);
}

/** The columns of rows that belong to a submission. */
const columnsOf = <T extends Row>(list: typeof DETAILS): ColumnsOf<Of<T>> => ({
	form_id: ['number', ({ formId }) => formId],
	submission_id: ['number', ({ submissionId }) => submissionId],
	...columnsFrom<Of<T>>(list, (row) => row),
});

const SUBMISSION: ColumnsOf<Stored> = {
	id: ['number', ({ id }) => id],
	form_id: ['number', ({ row }) => row.formId],
	data: ['json', ({ row }) => row.data],
	shape: ['number', ({ shape }) => shape],
};

/** A batch without any of them is stored by a shorter statement. */
const WITH_DETAILS: ColumnsOf<Stored> = {
	is_spam: ['number', ({ row }) => placeOfNew(row)],
	...columnsFrom<Stored>(DETAILS, ({ row }) => row),
};

const KEY: ColumnsOf<Stored> = {
	...columnsFrom<Stored>(OF_KEY, ({ row }) => row.idempotencyKey),
	submission_id: ['number', ({ toldId }) => toldId],
};

const DELIVERY = columnsOf<NewDelivery>(OF_DELIVERY);
const FILE = columnsOf<StoredFile>(OF_FILE);

const VALUE: ColumnsOf<Of<UniqueValue>> = {
	form_id: ['number', ({ formId }) => formId],
	hash: ['text', ({ hash }) => hash],
	submission_id: ['number', ({ submissionId }) => submissionId],
	is_held: ['number', ({ isHeld }) => Number(isHeld)],
};

const statements = new Map<string, Statement>();

/**
 * Returns one row: how many were stored, and the ids of those if not all were. A deletion of a form locks its row against
 * this statement, which looks for it and locks it, once for all of its submissions.
 */
export function insertOf(submissions: readonly Stored[], sender: Sender): Insert {
	const belonging = <T>(of: (row: NewSubmission) => readonly T[] | undefined) =>
		submissions
			.filter(({ row }) => of(row)?.length)
			.flatMap(({ id, row }) => (of(row) ?? []).map((one) => ({ ...one, submissionId: id, formId: row.formId })));
	const batch: Batch = {
		...sender,
		submissions,
		deliveries: belonging(({ deliveries }) => deliveries),
		files: belonging(({ files }) => files),
		values: belonging((row) => row.uniqueHashes?.map((hash) => ({ hash, isHeld: holdsValues(row) }))),
	};
	const parts = {
		// Elsewhere than in the inbox they are counted differently.
		details: sender.isCounted || submissions.some(({ row }) => detailsOf(row).some((value) => value !== null)),
		keys: submissions.some(({ row }) => row.idempotencyKey !== undefined),
		deliveries: batch.deliveries.length > 0,
		files: batch.files.length > 0,
		values: batch.values.length > 0,
		isCounted: sender.isCounted,
	};
	const name = Object.values(parts).join();
	let statement = statements.get(name);
	if (!statement) {
		statement = build(parts);
		statements.set(name, statement);
	}
	return { text: statement.text, values: statement.parameters.map((value) => value(batch)) };
}

function build({ details, keys, deliveries, files, values, isCounted }: Parts): Statement {
	const made = createParameters<Batch>();
	const stored = { ...SUBMISSION, ...(details && WITH_DETAILS) };
	const submission = { ...stored, ...(keys && KEY) };
	const names = columnNames(stored);
	const oldest = made.number(({ oldestMs }) => (Number.isFinite(oldestMs) ? oldestMs : UNBOUNDED_MS));
	const formIds = made.numbers(({ submissions: all }) => [...new Set(all.map(({ row }) => row.formId))]);
	const ctes = [
		`me as (${holder(
			made.number(({ number }) => number),
			made.text(({ token }) => token),
		)})`,
		`f as materialized (select id, max_submissions, total, folded_to from forms where id = any(${formIds}) and deleted_at is null
			${isCounted ? '' : 'and max_submissions is null'} order by id for key share)`,
		...(values ? [`v as (select * from ${made.rows(VALUE, { of: (batch) => batch.values, as: 'v' })})`, TAKEN] : []),
		`${isCounted ? 'a' : 'ok'} as (select s.* from ${made.rows(submission, { of: ({ submissions: all }) => all, as: 's' })}
			join f on f.id = s.form_id where exists (select from me)
				and s.id >= ((extract(epoch from now()) * 1000)::bigint - ${oldest}) * 2048
				${values ? 'and s.id not in (select submission_id from taken)' : ''})`,
	];
	if (isCounted) ctes.push(...FITTING);
	if (keys) {
		const since = made.number(({ submissions: all }) =>
			Math.min(...all.map(({ row }) => row.idempotencyKey?.since ?? Number.MAX_SAFE_INTEGER)),
		);
		ctes.push(`k as (insert into idempotency_keys (form_id, ${columnNames(KEY)})
			select form_id, ${columnNames(KEY)} from ok where key is not null
			${KEY_AGAIN} ${since} returning form_id, key)`);
	}
	const mayStore = keys
		? 'where ok.key is null or exists (select from k where k.form_id = ok.form_id and k.key = ok.key)'
		: '';
	ctes.push(`ins as (insert into submissions (${names}) select ${names} from ok ${mayStore} returning id)`);
	if (deliveries) {
		// One to a webhook that was deleted meanwhile is left out.
		ctes.push(`d as (insert into deliveries (${columnNames(DELIVERY)})
			select d.* from ${made.rows(DELIVERY, { of: (batch) => batch.deliveries, as: 'd' })} join ins on ins.id = d.submission_id
			where d.webhook_id is null or exists (select from webhooks where webhooks.id = d.webhook_id))`);
	}
	if (files) {
		ctes.push(
			`fs as (insert into files (${columnNames(FILE)})
				select x.* from ${made.rows(FILE, { of: (batch) => batch.files, as: 'x' })} join ins on ins.id = x.submission_id
				returning form_id, key, bytes)`,
			`fb as (update forms set file_bytes = file_bytes + b.bytes
				from (select form_id, ${roomInSql('greatest')}::bigint bytes from fs where key is not null group by form_id) b where forms.id = b.form_id)`,
		);
	}
	if (values) {
		const columns = columnNames(VALUE);
		ctes.push(`vs as (insert into unique_values (${columns}) select v.* from v join ins on ins.id = v.submission_id)`);
	}
	const all = made.number(({ submissions: sent }) => sent.length);
	const text = `with ${ctes.join(', ')}
		select count(*)::int, case when count(*) < ${all} then (select array_agg(id)::text from ins) end from ins`;
	return { text, parameters: made.parameters };
}
