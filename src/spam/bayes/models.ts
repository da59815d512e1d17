/** The word models in memory, within a bound: read when a submission needs one, then kept up to date with their rows. */

import { eq, sql } from 'drizzle-orm';
import type { Log } from '../../log/log.ts';
import type { Storage } from '../../storage/contract.ts';
import { createServerSecret } from '../../storage/server-secret.ts';
import { type SpamModelRow, spamModels } from '../../storage/spam-tables.ts';
import type { FormRow, Mode } from '../../storage/tables.ts';
import { lazy } from '../../tasks/lazy.ts';
import { createOneAtATime } from '../../tasks/one-at-a-time.ts';
import type { KindCounts, Model } from './counts.ts';
import { createKeyedHash, type KeyedHash } from './keyed-hash.ts';
import { readRow, type StoredRow } from './stored-row.ts';
import { TOKENS_VERSION, type Tokens, tokensOf } from './tokens.ts';
import { isTrained } from './verdict.ts';

/** Limit of all models together; those used last stay. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Models that stay however large they are: a submission needs two, and others are read meanwhile. */
const MIN_MODELS = 6;
/** Models are read beside one another: with a database elsewhere they would wait for each other. */
const READS_AT_ONCE = 4;
const READ_TRIES = 3;
/** After a failure submissions are judged without the words of others. */
const PAUSE_MS = 1000;

/** The id of a form, or the mode for all its forms. */
export type ModelKey = number | Mode;
type ModelOf = Pick<FormRow, 'id' | 'mode'>;

export const keyOf = ({ formId, mode }: Pick<SpamModelRow, 'formId' | 'mode'>): ModelKey => formId ?? mode;

interface Known extends KindCounts {
	rows: Set<number>;
}

interface Loaded extends Model {
	rows: Map<number, StoredRow>;
	bytes: number;
}

export type WordModels = ReturnType<typeof createWordModels>;

export function createWordModels(
	storage: Storage,
	{ log, maxBytes = MAX_BYTES }: { log?: Log; maxBytes?: number } = {},
) {
	const { db } = storage;
	const selectRow = lazy(() =>
		db
			.select()
			.from(spamModels)
			.where(eq(spamModels.id, sql.placeholder('id')))
			.prepare(),
	);
	const oneAtATime = createOneAtATime();
	const queues = Array.from({ length: READS_AT_ONCE }, createOneAtATime);
	let reads = 0;
	const secret = createServerSecret(storage, 'spam_words');
	/** Those used last come last. */
	const loaded = new Map<ModelKey, Loaded>();
	const loading = new Map<ModelKey, Promise<void>>();
	let bytes = 0;
	let known: Map<ModelKey, Known> | undefined;
	let hash: KeyedHash | undefined;
	let pausedUntil = 0;

	/** Returns whether a model has a say, but is not in memory. */
	function isMissing(key: ModelKey): boolean {
		const marks = known?.get(key);
		return marks !== undefined && isTrained(marks) && !loaded.has(key);
	}

	function drop(key: ModelKey): void {
		bytes -= loaded.get(key)?.bytes ?? 0;
		loaded.delete(key);
	}

	function dropOldest(): void {
		for (const key of loaded.keys()) {
			if (bytes <= maxBytes || loaded.size <= MIN_MODELS) return;
			// Else those that were pushed out take several times the bound until they are collected.
			for (const row of loaded.get(key)?.rows.values() ?? []) row.free();
			drop(key);
		}
	}

	/** Brings what is in memory up to date. */
	async function refresh(): Promise<void> {
		const { id, mode, formId, spam, ham } = spamModels;
		const rows = await db
			.select({ id, mode, formId, spam, ham })
			.from(spamModels)
			.where(eq(spamModels.version, TOKENS_VERSION));
		const found = new Map<ModelKey, Known>();
		for (const row of rows) {
			const key = keyOf(row);
			const sum = found.get(key) ?? { spam: 0, ham: 0, rows: new Set() };
			found.set(key, { spam: sum.spam + row.spam, ham: sum.ham + row.ham, rows: sum.rows.add(row.id) });
		}
		known = found;
		for (const [key, { rows: held }] of [...loaded]) {
			const stored = found.get(key)?.rows ?? new Set();
			if (stored.size === held.size && stored.isSubsetOf(held)) continue;
			const more = stored.isSupersetOf(held) ? await readRows([...stored.difference(held)]) : undefined;
			if (loaded.get(key)?.rows !== held) continue;
			drop(key);
			// Rows that are gone were merged or forgotten: what is left is read when it is needed.
			if (more) keep(key, new Map([...held, ...more]));
		}
	}

	/** `undefined` if not all of them are there. */
	async function readRows(ids: readonly number[]): Promise<Map<number, StoredRow> | undefined> {
		const rows = (await Promise.all(ids.map((id) => selectRow().execute({ id })))).flat();
		return rows.length === ids.length ? new Map(rows.map((row) => [row.id, readRow(row)])) : undefined;
	}

	function keep(key: ModelKey, rows: Map<number, StoredRow>): void {
		const model = createModel(rows);
		loaded.set(key, model);
		bytes += model.bytes;
		dropOldest();
	}

	async function read(key: ModelKey): Promise<void> {
		// Again if rows were added or merged meanwhile.
		for (let tries = 0; isMissing(key) && tries < READ_TRIES; tries++) {
			const ids = known?.get(key)?.rows ?? new Set();
			const rows = await readRows([...ids]);
			if (rows && known?.get(key)?.rows.symmetricDifference(ids).size === 0) keep(key, rows);
			else await oneAtATime(refresh);
		}
	}

	/** Reads a model once for all that wait for it. */
	function load(key: ModelKey): Promise<void> | undefined {
		if (!isMissing(key)) return undefined;
		const known = loading.get(key);
		if (known) return known;
		const queue = queues[reads++ % READS_AT_ONCE] as (typeof queues)[number];
		const promise = queue(() => read(key)).finally(() => loading.delete(key));
		loading.set(key, promise);
		return promise;
	}

	async function makeReady({ id, mode }: ModelOf): Promise<void> {
		hash ??= createKeyedHash(await secret());
		if (!known) await oneAtATime(async () => known ?? (await refresh()));
		await Promise.all([load(mode), load(id)]);
	}

	function use(key: ModelKey): Model | undefined {
		const model = loaded.get(key);
		if (!model) return undefined;
		loaded.delete(key);
		loaded.set(key, model);
		return model;
	}

	return {
		/** The server's key for tokens. */
		secret,
		/**
		 * Reads what a submission of the form needs; `undefined` if that is there already, as usual. To be called again once it is there,
		 * and until it says so: what was read may have made way for others.
		 */
		prepare({ id, mode }: ModelOf): Promise<void> | undefined {
			if (known && !isMissing(id) && !isMissing(mode)) return undefined;
			if (performance.now() < pausedUntil) return undefined;
			use(mode);
			use(id);
			return makeReady({ id, mode }).catch((cause: unknown) => {
				pausedUntil = performance.now() + PAUSE_MS;
				log?.warn('Submissions are judged without the words of others, which could not be read.', { cause });
			});
		},
		/** True while no model has a say, as long as little was marked. */
		isSilent: (): boolean => loaded.size === 0,
		/** The models that are ready for a form. */
		of: ({ id, mode }: ModelOf): { form: Model | undefined; mode: Model | undefined } => ({
			mode: use(mode),
			form: use(id),
		}),
		/** The tokens of a text, as JSON of its fields. To be called once `prepare` found a model. */
		tokensOf: (data: string): Tokens => tokensOf(data, hash as KeyedHash),
		/** How many submissions of each kind a model has learnt. */
		learnt: (key: ModelKey): KindCounts => known?.get(key) ?? { spam: 0, ham: 0 },
		/** To be called when rows may have changed, by any server. Does nothing as long as no submission needed a model. */
		follow: (): Promise<void> => oneAtATime(async () => known && (await refresh())),
		/** Returns the bytes that the models in memory take. */
		bytes: (): number => bytes,
	};
}

/** A model is the sum of its rows. */
function createModel(rows: Map<number, StoredRow>): Loaded {
	const all = [...rows.values()];
	const sum = (numberOf: (row: StoredRow) => number) => all.reduce((total, row) => total + numberOf(row), 0);
	return {
		rows,
		bytes: sum((row) => row.bytes),
		spam: sum((row) => row.spam),
		ham: sum((row) => row.ham),
		tokens: { spam: sum((row) => row.tokens.spam), ham: sum((row) => row.tokens.ham) },
		look(bucket, looked) {
			looked.spam = 0;
			looked.ham = 0;
			for (const row of all) row.addTo(looked, bucket);
		},
	};
}
