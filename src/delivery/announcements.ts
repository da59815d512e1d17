/**
 * Plans the webhook deliveries about changed and removed submissions: each one up to a bound for a call, beyond it how many there are;
 * and those that are withheld of a pending submission that becomes spam.
 */

import { eq } from 'drizzle-orm';
import { fieldTexts, matches } from '../form-values/conditions.ts';
import { encodeId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import { createDamageCheck } from '../storage/damage-check.ts';
import type { NewDelivery } from '../storage/submission.ts';
import type { Announce, ChangeAbout } from '../storage/submissions/announced.ts';
import type { Transition } from '../storage/submissions/operation.ts';
import { type FormRow, forms } from '../storage/tables.ts';
import type { Hook } from './channel.ts';
import { SUBMISSION_DELETED, SUBMISSION_SPAM, SUBMISSION_UPDATED } from './events.ts';
import type { Facts } from './webhooks/facts.ts';

/** How many submissions of a call are announced one by one. */
export const TOLD_SINGLY_MAX = 1000;
/** The rest of a call is announced when so long no more of it was stored: no caller has to say that it ended, and a kill loses nothing. */
const REST_WAITS_MS = 60_000;

const NONE_WITHHELD: ReadonlyMap<number, NewDelivery[]> = new Map();

/** The growing event about the rest of a call to one webhook. */
interface Rest {
	id: number;
	count: number;
	at: number;
}

interface CallState {
	toldSingly: number;
	/** By the ids of webhooks. */
	rests: Map<number, Rest>;
}

interface AnnouncementsOptions {
	hooksOf(formId: number): Promise<readonly Hook[]>;
	/** Deliveries withheld of a pending submission that is marked as spam. */
	withheldOf(form: FormRow, data: string): Promise<NewDelivery[]>;
	/** How a delivery of a form begins. */
	initialState(form: Pick<FormRow, 'mode'>): Pick<NewDelivery, 'state' | 'nextAttemptAt'>;
	wake(rows: readonly NewDelivery[]): void;
	now: () => number;
}

export function createAnnouncements(
	storage: Storage,
	{ hooksOf, withheldOf, initialState, wake, now }: AnnouncementsOptions,
): Announce {
	const calls = new WeakMap<object, CallState>();
	const damage = createDamageCheck(storage);

	/** For each webhook with conditions, the submissions that do not meet them. Fields never change, so it may be read before. */
	async function unmetBy(hooks: readonly Hook[], { formId, ids }: ChangeAbout): Promise<Map<Hook, Set<number>>> {
		const unmet = new Map(hooks.filter(({ where }) => where !== null).map((hook) => [hook, new Set<number>()]));
		if (unmet.size === 0) return unmet;
		for (const id of ids) {
			const row = await storage.submissions.get(formId, id);
			if (!row) continue;
			const texts = fieldTexts((await damage.row(formId, row)).data);
			for (const [{ where }, others] of unmet) if (!matches(where, texts)) others.add(id);
			// Large texts would hold up everything else for as long as all of them take.
			await new Promise((resolve) => setImmediate(resolve));
		}
		return unmet;
	}

	/** By the ids of those that are pending. None becomes so later, so it may be read before. */
	async function withheldFrom(form: FormRow, ids: readonly number[]): Promise<Map<number, NewDelivery[]>> {
		const withheld = new Map<number, NewDelivery[]>();
		for (const { id, isPending } of await storage.submissions.entries(form.id, ids)) {
			const row = isPending && (await storage.submissions.get(form.id, id));
			if (!row) continue;
			const planned = await withheldOf(form, (await damage.row(form.id, row)).data);
			withheld.set(
				id,
				planned.map((one) => ({ ...one, submissionId: id })),
			);
			await new Promise((resolve) => setImmediate(resolve));
		}
		return withheld;
	}

	return async (about) => {
		const { formId, ids, isRemoval, isSpam, call } = about;
		const event = isRemoval ? SUBMISSION_DELETED : SUBMISSION_UPDATED;
		const hooks = (await hooksOf(formId)).filter(({ events }) => events.includes(event));
		if (hooks.length === 0 && !isSpam) return undefined;
		const [form] = await storage.db.select().from(forms).where(eq(forms.id, formId));
		if (!form) return undefined;
		const withheld = isSpam ? await withheldFrom(form, ids) : NONE_WITHHELD;
		const unmet = await unmetBy(hooks, about);
		const { toldSingly, rests } = calls.get(call) ?? { toldSingly: 0, rests: new Map<number, Rest>() };
		let after: CallState = { toldSingly, rests: new Map(rests) };
		let counts = new Map<Hook, number>();
		let planned: NewDelivery[] = [];

		/**
		 * Spam that stays spam is of interest to those who get spam; its removal to all, who may have got it before it was marked. They
		 * know nothing of what is pending.
		 */
		const isFor =
			(hook: Hook) =>
			({ id, before, after: flags }: Transition): boolean =>
				!unmet.get(hook)?.has(id) &&
				!before?.isPending &&
				(isRemoval || !before?.isSpam || flags?.isSpam === false || hook.events.includes(SUBMISSION_SPAM));

		const rowOf = ({ id: webhookId, url: destination }: Hook, about: { submissionId: number } | Facts): NewDelivery => {
			const initial = initialState(form);
			return {
				id: storage.nextId(),
				formId,
				channel: 'webhook',
				webhookId,
				event,
				destination,
				...initial,
				// No submission takes it with it: it goes as long after this as what was sent.
				...(initial.state === 'captured' && { finishedAt: now() }),
				...('submissionId' in about ? about : { content: JSON.stringify(about) }),
			};
		};

		/** Takes the place of the one before, if there is one and that was not long ago. */
		function restOf(hook: Hook, count: number, before?: Rest): NewDelivery {
			const at = now();
			const known = before && at < before.at + REST_WAITS_MS / 2 ? before : { id: storage.nextId(), count: 0 };
			const rest = { id: known.id, count: known.count + count, at };
			after.rests.set(hook.id, rest);
			const row = rowOf(hook, { submission: null, more: rest.count });
			return { ...row, id: rest.id, ...(row.state === 'waiting' && { nextAttemptAt: at + REST_WAITS_MS }) };
		}

		return {
			deliveries(changed) {
				const singly = changed.slice(0, Math.max(0, TOLD_SINGLY_MAX - toldSingly));
				const others = changed.slice(singly.length);
				after = { toldSingly: toldSingly + singly.length, rests: new Map(rests) };
				counts = new Map();
				planned = hooks.flatMap((hook) => {
					const rows = singly
						.filter(isFor(hook))
						.map(({ id }) => rowOf(hook, isRemoval ? goneOf(id) : { submissionId: id }));
					const count = others.filter(isFor(hook)).length;
					counts.set(hook, count);
					return count === 0 ? rows : [...rows, restOf(hook, count, rests.get(hook.id))];
				});
				return [...planned, ...changed.flatMap(({ id, before }) => (before?.isPending && withheld.get(id)) || [])];
			},
			/** A rest that left meanwhile is not changed any more: what is new begins another. */
			instead: (unwritten) =>
				hooks.flatMap((hook) => {
					const isGone = unwritten.some(({ id }) => id === rests.get(hook.id)?.id);
					return isGone ? [restOf(hook, counts.get(hook) ?? 0)] : [];
				}),
			stored() {
				calls.set(call, after);
				wake([...new Map(planned.map((row) => [row.webhookId, row])).values()]);
			},
		};
	};
}

const goneOf = (id: number): Facts => ({ submission: { id: encodeId(id) } });
