/** Unique values as keyed hashes, from which no value can be read; and those of submissions that came before their rule. */

import { and, eq, isNull, like } from 'drizzle-orm';
import type { FieldRule } from '../field-rules/rules.ts';
import { uniqueRules, uniqueTexts } from '../field-rules/unique.ts';
import type { Db, ScanRequest, Storage } from '../storage/contract.ts';
import { isJson } from '../storage/damage.ts';
import { createServerSecret } from '../storage/server-secret.ts';
import { setServerValue } from '../storage/server-values.ts';
import type { StoredSubmission, UniqueHashes } from '../storage/submission.ts';
import { type FormRow, forms, serverValues } from '../storage/tables.ts';
import { inChunks, type Pause } from '../tasks/in-chunks.ts';
import { parseExact } from '../text/exact-json.ts';

/** The beginning of the names of the server's values that say of which forms the stored submissions are to be gone through. */
const DUE = 'unique-values:';
const PIECE_CHARACTERS = 256 * 1024;
const PIECE_SUBMISSIONS = 200;

type RuledForm = Pick<FormRow, 'id' | 'fields'>;

export interface UniqueValue {
	rule: FieldRule;
	hash: string;
}

interface FindRequest extends ScanRequest {
	form: RuledForm;
	key: string;
}

interface FoundPiece {
	found: UniqueHashes[];
	/** Where the next piece begins, if there may be one. */
	nextId: number | undefined;
}

/** Values are the same only in one field of one form. */
function valuesOf({ id, fields }: RuledForm, data: string, key: string): UniqueValue[] {
	return uniqueTexts(uniqueRules(fields), data).map(([rule, text]) => ({
		rule,
		hash: new Bun.CryptoHasher('sha256', Buffer.from(key, 'hex'))
			.update(JSON.stringify([id, rule.name, text]))
			.digest('hex'),
	}));
}

export function createUniqueValues(storage: Pick<Storage, 'batch' | 'db' | 'submissions'>) {
	const { batch, db, submissions } = storage;
	const secret = createServerSecret(storage, 'unique_value_secret');

	async function holdOf(form: RuledForm, pause: Pause): Promise<boolean> {
		let fromId = 0;
		return inChunks(async () => {
			const { found, nextId } = await submissions.scan<FindRequest, FoundPiece>('findUniqueValues', {
				selection: { formId: form.id, filter: 'any', fromId },
				order: 'asc',
				form,
				key: await secret(),
			});
			if (found.length > 0) await submissions.holdValues(form.id, found);
			fromId = nextId ?? fromId;
			return nextId !== undefined;
		}, pause);
	}

	return {
		/** Returns what no other submission may have of one. */
		valuesOf: async (form: RuledForm, data: string): Promise<UniqueValue[]> =>
			uniqueRules(form.fields).length > 0 ? valuesOf(form, data, await secret()) : [],
		/** Has the submissions that are stored hold their values, as `whenDue` noted; the older first. It can stop at any pause and start again. */
		async holdDue(pause: Pause): Promise<void> {
			const due = await db
				.select()
				.from(serverValues)
				.where(like(serverValues.name, `${DUE}%`));
			for (const { name, value } of due) {
				const id = Number(name.slice(DUE.length));
				const [form] = await db
					.select({ id: forms.id, fields: forms.fields })
					.from(forms)
					.where(and(eq(forms.id, id), isNull(forms.deletedAt)));
				if (form && !(await holdOf(form, pause))) return;
				// It may be due again by now.
				const isSame = and(eq(serverValues.name, name), eq(serverValues.value, value));
				await batch((tx) => [tx.delete(serverValues).where(isSame)]);
			}
		},
	};
}

/** The statement that notes a form whose stored submissions are to hold their values, if a change of its rules calls for that. */
export function whenDue(tx: Db, before: RuledForm, { fields }: Partial<RuledForm>) {
	const former = new Map(uniqueRules(before.fields).map(({ name, type }) => [name, type]));
	const isDue = uniqueRules(fields ?? null).some(({ name, type }) => former.get(name) !== type);
	return isDue ? [due(tx, before)] : [];
}

/** The same, if any of its rules calls for that, because submissions were stored past the rules. */
export const whenUnique = (tx: Db, form: RuledForm) => (uniqueRules(form.fields).length > 0 ? [due(tx, form)] : []);

const due = (tx: Db, { id }: RuledForm) => setServerValue(tx, `${DUE}${id}`, crypto.randomUUID());

/** Returns whether a change of rules lets senders try out values of submissions as they could not before. */
export function revealsValues(before: RuledForm['fields'], after: RuledForm['fields']): boolean {
	const whatTells = ({ name, type, onDuplicate = 'refuse' }: FieldRule) => JSON.stringify([name, type, onDuplicate]);
	const former = uniqueRules(before).map(whatTells);
	return uniqueRules(after).some((rule) => !former.includes(whatTells(rule)));
}

/** A scan: what `holdDue` reads, in the thread beside the server. */
export function findUniqueValues(submissions: Iterable<StoredSubmission>, { form, key }: FindRequest): FoundPiece {
	const found: UniqueHashes[] = [];
	let [scanned, characters] = [0, 0];
	for (const { id, data, meta, isDamaged } of submissions) {
		scanned++;
		if (!isDamaged && isJson(data) && !isTest(meta)) {
			characters += data.length;
			const hashes = valuesOf(form, data, key).map(({ hash }) => hash);
			if (hashes.length > 0) found.push({ id, hashes });
		}
		if (scanned >= PIECE_SUBMISSIONS || characters >= PIECE_CHARACTERS) return { found, nextId: id + 1 };
	}
	return { found, nextId: undefined };
}

/** An owner's test holds nothing, as when it came. */
function isTest(meta: string | null): boolean {
	return meta !== null && isJson(meta) && (parseExact(meta) as { test?: unknown }).test === true;
}
