/** The word models in memory: read when a submission first needs one, then kept up to date with their rows. */

import { eq, inArray } from 'drizzle-orm';
import type { Log } from '../../log.ts';
import { createOneAtATime } from '../../one-at-a-time.ts';
import { createServerSecret } from '../../storage/server-secret.ts';
import type { Storage } from '../../storage/storage.ts';
import { type FormRow, type Mode, type SpamModelRow, spamModels } from '../../storage/tables.ts';
import { addRow, bucketOf, type Change, type Counts, createCounts } from './counts.ts';
import { createKeyedHash, type KeyedHash } from './keyed-hash.ts';
import { TOKENS_VERSION } from './tokens.ts';
import { isTrained } from './verdict.ts';

/** The most models of forms in memory at one time; those used last stay. */
const MAX_FORMS = 16;
const LOAD_TRIES = 3;

/** Of a form, by its id, or of all forms of a mode. */
export type ModelKey = number | Mode;
type ModelOf = Pick<FormRow, 'id' | 'mode'>;

export const keyOf = ({ formId, mode }: Pick<SpamModelRow, 'formId' | 'mode'>): ModelKey => formId ?? mode;

interface Known extends Change {
	rows: Set<number>;
}

interface Loaded {
	counts: Counts;
	/** Those that are in the counts. */
	rows: Set<number>;
}

export type WordModels = ReturnType<typeof createWordModels>;

export function createWordModels(storage: Storage, log?: Log) {
	const { db } = storage;
	const oneAtATime = createOneAtATime();
	const secret = createServerSecret(storage, 'spam_words');
	const loaded = new Map<ModelKey, Loaded>();
	let known: Map<ModelKey, Known> | undefined;
	let hash: KeyedHash | undefined;

	/** Whether a model has something to say, but is not in memory. */
	function isMissing(key: ModelKey): boolean {
		const marks = known?.get(key);
		return marks !== undefined && isTrained(marks) && !loaded.has(key);
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
		for (const [key, model] of loaded) {
			const stored = found.get(key)?.rows ?? new Set();
			// Rows that are gone were merged or forgotten.
			if (stored.isSupersetOf(model.rows)) await addRows(model, [...stored.difference(model.rows)]);
			else loaded.delete(key);
		}
	}

	/** Resolves to whether all of them were there. */
	async function addRows(model: Loaded, ids: readonly number[]): Promise<boolean> {
		if (ids.length === 0) return true;
		const rows = await db
			.select()
			.from(spamModels)
			.where(inArray(spamModels.id, [...ids]));
		for (const row of rows) {
			addRow(model.counts, row);
			model.rows.add(row.id);
		}
		return rows.length === ids.length;
	}

	async function load(key: ModelKey): Promise<void> {
		// Again if rows were merged meanwhile.
		for (let tries = 0; isMissing(key) && tries < LOAD_TRIES; tries++) {
			const model: Loaded = { counts: createCounts(), rows: new Set() };
			if (await addRows(model, [...(known?.get(key)?.rows ?? [])])) loaded.set(key, model);
			else await refresh();
		}
		const forms = [...loaded.keys()].filter((other) => typeof other === 'number');
		if (forms.length > MAX_FORMS) loaded.delete(forms[0] as number);
	}

	async function makeReady({ id, mode }: ModelOf): Promise<void> {
		if (!known) await refresh();
		if (!isMissing(mode) && !isMissing(id)) return;
		hash ??= createKeyedHash(await secret());
		await load(mode);
		await load(id);
	}

	function use(key: ModelKey): Counts | undefined {
		const model = loaded.get(key);
		if (!model) return undefined;
		if (typeof key === 'number') {
			loaded.delete(key);
			loaded.set(key, model);
		}
		return model.counts;
	}

	return {
		/** The server's key for tokens. */
		secret,
		/** Reads what a submission of the form needs; `undefined` if that is there already, as usual. */
		prepare(form: ModelOf): Promise<void> | undefined {
			if (known && (known.size === 0 || (!isMissing(form.id) && !isMissing(form.mode)))) return undefined;
			return oneAtATime(() => makeReady(form)).catch((cause: unknown) =>
				log?.warn('A submission was judged without the words of others, which could not be read.', { cause }),
			);
		},
		/** Whether no model has anything to say, as long as little was marked. */
		isSilent: (): boolean => loaded.size === 0,
		/** The models that are ready for a form. */
		of: ({ id, mode }: ModelOf): { form: Counts | undefined; mode: Counts | undefined } => ({
			form: use(id),
			mode: use(mode),
		}),
		/** Where models count tokens. To be called once `prepare` found a model. */
		bucketsOf: (tokens: Iterable<string>): number[] => {
			const toHash = hash as KeyedHash;
			return Array.from(tokens, (token) => bucketOf(toHash(token)));
		},
		/** How many submissions of each kind a model has learnt. */
		learnt: (key: ModelKey): Change => known?.get(key) ?? { spam: 0, ham: 0 },
		/** To be called when rows may have changed, by any server. Does nothing as long as no submission needed a model. */
		follow: (): Promise<void> => oneAtATime(async () => known && (await refresh())),
	};
}
