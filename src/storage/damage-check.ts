/** The one check of submissions that are read: what cannot be read any more is shown without its text, and becomes a finding. */

import type { Storage } from './contract.ts';
import { asDamaged, isJson, REPLACED, type Texts } from './damage.ts';
import { isJsonInUtf8 } from './damaged-bytes.ts';
import { noteDamage } from './findings.ts';

type Row = Texts & { id: number };

/** Texts that were read as JSON are known by their hashes, of as many submissions: a page costs a few microseconds for it, not twenty. */
const MAX_KNOWN = 8192;

export function createDamageCheck({ submissions, findings }: Pick<Storage, 'submissions' | 'findings'>) {
	const known = new Map<number, number>();

	/** At once for a text that is known, as nearly all of a page are. */
	function isWholeText(formId: number, { id, data }: Row): true | Promise<boolean> {
		if (typeof data !== 'string') return true;
		const hash = Bun.hash.xxHash32(data);
		return known.get(id) === hash || isNewTextWhole(formId, { id, data, hash });
	}

	async function isNewTextWhole(
		formId: number,
		{ id, data, hash }: { id: number; data: string; hash: number },
	): Promise<boolean> {
		const isRight = data.includes(REPLACED) ? await hasRightBytes(formId, { id, data }) : isJson(data);
		if (known.size >= MAX_KNOWN) known.clear();
		if (isRight) known.set(id, hash);
		return isRight;
	}

	/** If a submission was removed meanwhile, only the decoded text is left to check. */
	async function hasRightBytes(formId: number, { id, data }: { id: number; data: string }): Promise<boolean> {
		const bytes = await submissions.text({ formId, id });
		return bytes ? isJsonInUtf8(bytes) : isJson(data);
	}

	function settle<Shown extends Row>(row: Shown, isWhole: boolean): Shown {
		if (isWhole && isJson(row.spamReasons) && isJson(row.meta)) return row;
		noteDamage(findings, row.id);
		return asDamaged(row);
	}

	return {
		/** With the whole text, or with its size in its place: then only what stands beside it is checked. */
		row: async <Shown extends Row>(formId: number, row: Shown): Promise<Shown> =>
			settle(row, await isWholeText(formId, row)),
		/** Several of these, as on a page. */
		async rows<Shown extends Row>(formId: number, rows: readonly Shown[]): Promise<Shown[]> {
			const shown: Shown[] = [];
			for (const row of rows) {
				const isWhole = isWholeText(formId, row);
				shown.push(settle(row, isWhole === true || (await isWhole)));
			}
			return shown;
		},
		/** With the beginning of its text, behind which a byte may be damaged; `undefined` if it was removed meanwhile. */
		async beginning<Shown extends Row>(formId: number, row: Shown): Promise<Shown | undefined> {
			const bytes = await submissions.text({ formId, id: row.id });
			return bytes && settle(row, isJsonInUtf8(bytes));
		},
		/** @param bytes The whole text of the row. */
		withText: <Shown extends Row>(row: Shown, bytes: Uint8Array): Shown => settle(row, isJsonInUtf8(bytes)),
	};
}
