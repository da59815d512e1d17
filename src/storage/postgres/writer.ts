/** Group commit: submissions that arrive together are stored by one statement, which resolves after its commit. */

import { AppError } from '../../errors.ts';
import { OutcomeUnknown, Unavailable, UniqueViolation } from '../errors.ts';
import type { Findings } from '../findings.ts';
import { giveIds, holdsValues, type NewSubmission } from '../submission.ts';
import { type Clock, OLDEST_ID_MS } from './clock.ts';
import { connect, type Runner, type Sql, WRITER_NAME, withDeadline } from './connection.ts';
import { asStorageError, isHeldUp, isIdTaken, isReadOnly, isRolledBack, isUnsent, mayTryAgain } from './failures.ts';
import { createBatching, MAX_IN_FLIGHT, type Waiting } from './writer/batching.ts';
import { createBoundedForms, lockForms, whyNotStored } from './writer/bounded-forms.ts';
import { type Insert, insertOf, type Stored } from './writer/insert.ts';
import { askStored, idsIn } from './writer/unknown-outcome.ts';

/** Time after which a client gets the response that the outcome is unknown. */
const DEADLINE_MS = 10_000;
/** A statement that takes longer may hang, or wait for a standby that is away. */
const ANSWER_WITHIN_MS = 5000;
/** Then it is rolled back, which is known in time, also of one that went behind another. A vacuum of PostgreSQL's own makes way sooner. */
const LOCK_WITHIN_MS = 2000;
const RETRY_MS = 100;
/** A submission that others keep from being stored, as by a clash of ids. */
const MAX_TRIES = 5;

/** How many were stored, and the ids of those if not all were; see `insert.ts`. */
type Outcome = [number, string | null];

interface Job extends Waiting {
	tries: number;
	/** True if its client has a response. */
	isSettled: boolean;
	resolve(id: number): void;
	reject(error: unknown): void;
}

export interface WriterOptions {
	clock: () => Pick<Clock, 'nextId' | 'servers' | 'isOwnClock' | 'refresh'>;
	findings: Findings;
	/** Returns the set of fields of each submission; stored before it. */
	shapesOf(arrivals: readonly Stored[]): readonly number[] | Promise<readonly number[]>;
	/** Called before its client gets a response. */
	onStored(row: NewSubmission, id: number): void;
	/** Called with the error of a statement. */
	onError(error: unknown): void;
}

type Connections = ReturnType<typeof openConnections>;

export type Writer = ReturnType<typeof createWriter>;

/** @param sql For questions about what was stored. */
export function createWriter(url: string, sql: Sql, { clock, findings, shapesOf, onStored, onError }: WriterOptions) {
	let connections = openConnections(url);
	let isClosing = false;
	const bounded = createBoundedForms(sql);
	const batching = createBatching<Job>({
		send: store,
		deadlineMs: DEADLINE_MS,
		expire: (job) => fail(job, new Unavailable()),
	});

	/** Returns whether it depends on what others store at the same time. */
	const isCounted = (row: NewSubmission) => bounded.has(row.formId) || holdsValues(row);

	async function store(batch: readonly Job[]): Promise<void> {
		let isSent = false;
		const waited = performance.now() - (batch[0]?.since ?? 0);
		const deadline = setTimeout(
			() => rejectAll(batch, isSent ? new OutcomeUnknown() : new Unavailable()),
			Math.max(0, DEADLINE_MS - waited),
		);
		try {
			const shapes = shapesOf(batch);
			const known = shapes instanceof Promise ? await shapes : shapes;
			for (const [i, job] of batch.entries()) job.shape = known[i] as number;
			isSent = true;
			const parts = Map.groupBy(batch, ({ row }) => isCounted(row));
			for (const part of parts.values()) await send(part);
		} catch (error) {
			rejectAll(batch, error);
		} finally {
			clearTimeout(deadline);
		}
	}

	async function send(batch: readonly Job[]): Promise<void> {
		const used = connections;
		const { isOwnClock, servers } = clock();
		const oldestMs = isOwnClock ? Number.POSITIVE_INFINITY : OLDEST_ID_MS;
		const isAnyCounted = batch.some(({ row }) => isCounted(row));
		const insert = insertOf(batch, { ...servers.own, oldestMs, isCounted: isAnyCounted });
		let outcome: Outcome | undefined;
		try {
			const rows = isAnyCounted ? insertCounted(used.sql, batch, insert) : run(used.sql, insert);
			[outcome] = (await withDeadline(rows, ANSWER_WITHIN_MS)) as Outcome[];
			if (used.isSuspect) throw new Error('A commit came back with a warning.');
		} catch (error) {
			await afterError(batch, used, error);
			return;
		}
		if (outcome?.[0] === batch.length) for (const job of batch) settle(job);
		else await sortOut(batch, idsIn(outcome?.[1]));
	}

	async function afterError(batch: readonly Job[], used: Connections, error: unknown): Promise<void> {
		onError(error);
		const isKnown = isReadOnly(error) || isRolledBack(error);
		const rejection = isKnown ? findings.rejection('submission') : undefined;
		if (rejection || isUnsent(error) || isHeldUp(error)) rejectAll(batch, rejection ?? error);
		else if (isReadOnly(error)) await afterReadOnly(batch, used);
		else if (isKnown) await afterRollback(batch, error);
		else await afterUnknown(batch, used);
	}

	/** Nothing of it was stored: each on its own, so that one cannot fail the others. */
	async function afterRollback(batch: readonly Job[], error: unknown): Promise<void> {
		const [first] = batch;
		if (!first) return;
		if (batch.length > 1) for (const job of batch) await send([job]);
		else if (mayTryAgain(error) && ++first.tries < MAX_TRIES) await send(batch);
		else if (isIdTaken(error)) await sortOut(batch, new Set());
		else fail(first, asStorageError(error));
	}

	/** In a fail-over: another server will be led to. */
	async function afterReadOnly(batch: readonly Job[], used: Connections): Promise<void> {
		replace(used);
		await Bun.sleep(RETRY_MS);
		for (const job of batch) if (!job.isSettled) add(job);
	}

	function replace(used: Connections): void {
		if (connections === used) connections = openConnections(url);
		void used.sql.end(0);
	}

	/** Asks until the database reports which were stored; the rest is sent again. */
	async function afterUnknown(batch: readonly Job[], used: Connections): Promise<void> {
		findings.set('database');
		if (batch[0]) batching.letPass(batch[0]);
		replace(used);
		const ids = batch.map(({ id }) => id);
		for (;;) {
			const stored = await askStored(sql, { ids, connections: used.name, server: clock().servers.own }).catch(
				() => undefined,
			);
			if (stored) {
				findings.clear('database');
				return sortOut(batch, stored);
			}
			if (isClosing) return rejectAll(batch, new OutcomeUnknown());
			await Bun.sleep(RETRY_MS);
		}
	}

	/** Settles those that are stored, and finds out why the others are not. */
	async function sortOut(batch: readonly Job[], stored: ReadonlySet<number>): Promise<void> {
		const left = batch.filter((job) => {
			if (stored.has(job.id)) settle(job);
			return !stored.has(job.id) && !job.isSettled;
		});
		if (left.length === 0) return;
		const why = await lookWhy(left).catch((error: unknown) => left.map(() => error));
		// From here on nothing can fail: what goes again would be stored after it was rejected.
		for (const [i, job] of left.entries()) {
			if (why[i]) fail(job, why[i]);
			else if (++job.tries >= MAX_TRIES) fail(job, new Unavailable(new Error('The submission cannot be stored.')));
			else add(job);
		}
	}

	async function lookWhy(jobs: readonly Job[]): Promise<unknown[]> {
		await clock().refresh();
		return whyNotStored(
			sql,
			jobs.map(({ row }) => row),
			bounded,
		);
	}

	/** Once more if its id became too old, or was made under a number that was lost, or its form has a bound. */
	function add(job: Job): void {
		giveIds(job, clock().nextId);
		batching.add(job);
	}

	function settle(job: Job): void {
		onStored(job.row, job.id);
		if (job.isSettled) return;
		job.isSettled = true;
		job.resolve(job.toldId);
	}

	return {
		append(row: NewSubmission): Promise<number> {
			const rejection = isClosing ? new Unavailable() : findings.rejection('submission');
			if (rejection) return Promise.reject(rejection);
			return new Promise((resolve, reject) => {
				add({
					row,
					id: 0,
					toldId: 0,
					shape: 0,
					tries: 0,
					since: performance.now(),
					isSettled: false,
					resolve,
					reject,
				});
			});
		},
		oldestId: batching.oldestId,
		/** Stores what is queued; nothing is taken afterwards. */
		async close(): Promise<void> {
			isClosing = true;
			await batching.drain();
			await connections.sql.end();
		},
	};
}

/** Each pool has a name of its own, by which the server tells whether its statements have ended. */
function openConnections(url: string) {
	const name = `${WRITER_NAME} ${crypto.randomUUID().slice(0, 8)}`;
	const opened = { name, isSuspect: false, sql: undefined as unknown as Sql };
	opened.sql = connect(url, {
		name,
		max: MAX_IN_FLIGHT,
		lockMs: LOCK_WITHIN_MS,
		// Such as a commit that did not wait for the standby.
		onNotice: ({ isWarning }) => {
			opened.isSuspect ||= isWarning;
		},
	});
	return opened;
}

function run(sql: Runner, { text, values }: Insert): PromiseLike<unknown> {
	return sql.unsafe(text, values as string[], { prepare: true }).values();
}

/** The statement that counts sees what was stored by those who held the lock before. */
function insertCounted(sql: Sql, batch: readonly Job[], insert: Insert): Promise<unknown> {
	return sql.begin(async (tx) => {
		await lockForms(tx, formsOf(batch));
		return run(tx, insert);
	});
}

function formsOf(batch: readonly Job[]): number[] {
	return [...new Set(batch.map(({ row }) => row.formId))];
}

function fail(job: Job, error: unknown): void {
	if (job.isSettled) return;
	job.isSettled = true;
	job.reject(error instanceof AppError || error instanceof UniqueViolation ? error : asStorageError(error));
}

function rejectAll(batch: readonly Job[], error: unknown): void {
	for (const job of batch) fail(job, error);
}
