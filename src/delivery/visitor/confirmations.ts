/** The links by which visitors confirm their addresses, looked at and followed. */

import { and, eq, inArray, isNull } from 'drizzle-orm';
import { addressIn, CONFIRMATION_DAYS } from '../../form-values/visitor-mails.ts';
import type { Storage } from '../../storage/contract.ts';
import { createDamageCheck } from '../../storage/damage-check.ts';
import type { Confirmation, Confirming, StoredSubmission } from '../../storage/submission.ts';
import { type FormRow, forms } from '../../storage/tables.ts';
import { uniqueValues } from '../../storage/unique-table.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import type { Outbox } from '../outbox.ts';
import type { AddressKeys } from './address-keys.ts';
import type { VisitorLinks } from './links.ts';

/** Confirmed in one transaction. */
const CHUNK = 50;

/** `wrong`: no link of ours; `gone`: it is too old, or what it is for was removed; else what comes, or would come, of it. */
export type LinkState = 'wrong' | 'waiting' | Confirmation;

export interface ConfirmationsOptions {
	outbox: Pick<Outbox, 'plan' | 'wake'>;
	links: Pick<VisitorLinks, 'readConfirm'>;
	keys: Pick<AddressKeys, 'keyOf'>;
	/** The values that no other submission may have, by the rules of its form. */
	uniqueValuesOf: (form: FormRow, data: string) => Promise<readonly { hash: string }[]>;
	now: () => number;
}

interface Meant {
	form: FormRow;
	submission: StoredSubmission;
}

export type Confirmations = ReturnType<typeof createConfirmations>;

export function createConfirmations(
	storage: Storage,
	{ outbox, links, keys, uniqueValuesOf, now }: ConfirmationsOptions,
) {
	const { submissions, clock } = storage;
	const damage = createDamageCheck(storage);
	/** From the first id of a submission that has not waited too long. */
	const oldestId = () => clock.timeline().firstIdAfter(now() - CONFIRMATION_DAYS * DAY_MS);

	/** A link whose submission was removed or is spam stands for the oldest other one that is pending for its address. */
	async function meantBy(token: string): Promise<Meant | Exclude<LinkState, 'waiting'>> {
		const place = await links.readConfirm(token);
		if (!place) return 'wrong';
		const present = and(eq(forms.id, place.formId), isNull(forms.deletedAt));
		const [form] = await storage.db.select().from(forms).where(present);
		let submission = form && (await submissions.get(form.id, place.submissionId));
		if (submission && submission.confirmedAt !== null) return 'confirmed';
		const { addressKey, submissionId } = place;
		const fromId = oldestId();
		if (!form || submissionId < fromId) return 'gone';
		if (!submission?.isPending && addressKey !== undefined) {
			const [other] = await submissions.pendingOf(form.id, { addressKey, fromId, limit: 1 });
			submission = other === undefined ? undefined : await submissions.get(form.id, other);
		}
		return submission?.isPending ? { form, submission } : 'gone';
	}

	const hashesOf = async (form: FormRow, data: string) => (await uniqueValuesOf(form, data)).map(({ hash }) => hash);

	/** With the deliveries that go out by its confirmation. */
	async function prepare(form: FormRow, { id, language }: { id: number; language: string }): Promise<Confirming[]> {
		const stored = await submissions.get(form.id, id);
		if (!stored) return [];
		const { data } = await damage.row(form.id, stored);
		const submission = { spamReason: null, data };
		const deliveries = await outbox.plan({ form, submission, language, isConfirmed: true });
		return [{ id, uniqueHashes: await hashesOf(form, data), deliveries }];
	}

	/** Returns whether all that holds its unique values is of the same visitor, and was confirmed: it was sent twice. */
	async function isRepetition({ form, submission }: Meant): Promise<boolean> {
		if (form.confirm === null) return false;
		const { formId, hash, submissionId, isHeld } = uniqueValues;
		const own = await hashesOf(form, (await damage.row(form.id, submission)).data);
		const others = await storage.db
			.selectDistinct({ submissionId })
			.from(uniqueValues)
			.where(and(eq(formId, form.id), inArray(hash, own), eq(isHeld, true)));
		for (const other of others) {
			const stored = await submissions.get(form.id, other.submissionId);
			if (!stored || stored.confirmedAt === null) return false;
			const { data } = await damage.row(form.id, stored);
			const address = addressIn(data, form.confirm.field);
			if (address === undefined || (await keys.keyOf(address)) !== submission.addressKey) return false;
		}
		return others.length > 0;
	}

	/** @param reserved Unique values that they must not take. */
	async function confirmSome(
		form: FormRow,
		ids: readonly number[],
		{ language, reserved = [] }: { language: string; reserved?: readonly string[] },
	): Promise<Map<number, Confirmation>> {
		const all: Confirming[] = [];
		// One by one, because their texts may be large.
		for (const id of ids) all.push(...(await prepare(form, { id, language })));
		const pending = all.filter(({ uniqueHashes }) => !uniqueHashes.some((hash) => reserved.includes(hash)));
		const results = await submissions.confirm(form.id, pending, now());
		outbox.wake(pending.filter(({ id }) => results.get(id) === 'confirmed').flatMap(({ deliveries }) => deliveries));
		return results;
	}

	return {
		/** Returns what a link would do, and changes nothing: programs that look for harm open links too. */
		async look(token: string): Promise<LinkState> {
			const meant = await meantBy(token);
			return typeof meant === 'string' ? meant : 'waiting';
		},
		/**
		 * Confirms all that is pending for the address in the form: that got one mail for all of a day. The submission of the link comes
		 * last, so that a link can be followed again until nothing is left; its unique values are not for the others meanwhile.
		 * @param languageOf That of the visitor, for a form.
		 */
		async confirm(token: string, languageOf: (form: FormRow) => string): Promise<LinkState> {
			const meant = await meantBy(token);
			if (typeof meant === 'string') return meant;
			const { form, submission } = meant;
			const { addressKey } = submission;
			const language = languageOf(form);
			const results = new Set<Confirmation>();
			async function confirmIds(ids: readonly number[], reserved?: readonly string[]): Promise<void> {
				for (const result of (await confirmSome(form, ids, { language, reserved })).values()) results.add(result);
			}
			async function confirmOthers(reserved?: readonly string[]): Promise<void> {
				for (let fromId = oldestId(); addressKey !== null; ) {
					const ids = await submissions.pendingOf(form.id, { addressKey, fromId, limit: CHUNK });
					await confirmIds(
						ids.filter((id) => id !== submission.id),
						reserved,
					);
					if (ids.length < CHUNK) break;
					fromId = (ids.at(-1) as number) + 1;
				}
			}
			const own = await hashesOf(form, (await damage.row(form.id, submission)).data);
			await confirmOthers(own);
			await confirmIds([submission.id]);
			// If it was kept out, those that have a value in common with it may not be.
			if (own.length > 0) await confirmOthers();
			const state = (['confirmed', 'full', 'taken'] as const).find((one) => results.has(one));
			if (state === 'taken' && (await isRepetition(meant))) return 'confirmed';
			if (state) return state;
			// It was confirmed at the same time by another request, or has gone.
			const after = await meantBy(token);
			return typeof after === 'string' ? after : 'gone';
		},
	};
}
