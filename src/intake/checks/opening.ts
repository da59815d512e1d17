/** Decides whether a form accepts submissions now, for those who send them and for pages that ask first. */

import { AppError, spokenError } from '../../errors.ts';
import { closedAt } from '../../forms/opening.ts';
import type { Key } from '../../languages/catalogue.ts';
import type { Translation } from '../../languages/translation.ts';
import { spoken } from '../../languages/translations.ts';
import type { Storage } from '../../storage/contract.ts';
import { FormFull } from '../../storage/errors.ts';
import type { FormRow } from '../../storage/tables.ts';

/** The status that every client may know. The number of places left is not included: it would reveal how many submissions come. */
export interface Status {
	open: boolean;
	/** The reason why not, as in the response to a submission. */
	code: string | null;
	message: string | null;
	opensAt: string | null;
	closesAt: string | null;
	full: boolean;
}

const SENTENCES = {
	FORM_DISABLED: 'paused',
	FORM_NOT_OPEN: 'notOpen',
	FORM_CLOSED: 'closed',
} as const satisfies Record<string, Key>;

/** @param timeZone That of forms without one of their own. */
export function createOpening(
	{ submissions }: Pick<Storage, 'submissions'>,
	{ timeZone, now }: { timeZone: () => string; now: () => number },
) {
	/** The cheap look, so that no file is sent and no captcha used up in vain; the engine decides, where it stores. */
	async function isFull({ id, maxSubmissions }: FormRow): Promise<boolean> {
		if (maxSubmissions === null) return false;
		const counts = (await submissions.counts([id])).get(id);
		return counts !== undefined && counts.total >= maxSubmissions;
	}

	async function rejection(form: FormRow): Promise<AppError | undefined> {
		const code = closedAt(form, now());
		if (code !== null)
			return spokenError(code, [
				SENTENCES[code],
				{ moment: { at: new Date(form.opensAt ?? 0), timeZone: form.timeZone ?? timeZone() } },
			]);
		return (await isFull(form)) ? new FormFull() : undefined;
	}

	return {
		rejection,
		async status(form: FormRow, translation: () => Promise<Translation>): Promise<Status> {
			const { opensAt, closesAt } = form;
			const closed = await rejection(form);
			const code = closed?.code ?? null;
			const says = closed && (inOwnersWords(closed, form).details.says ?? closed.message);
			const message = says === undefined ? null : spoken(await translation(), says);
			const full = closed !== undefined && (closed.code === 'FORM_FULL' || (await isFull(form)));
			return { open: !closed, code, message, opensAt, closesAt, full };
		},
	};
}

/** Returns whether there is anything by which it may take no submission now. */
export function mayBeClosed({ isActive, opensAt, closesAt, maxSubmissions }: FormRow): boolean {
	return !isActive || opensAt !== null || closesAt !== null || maxSubmissions !== null;
}

/** Codes for which the form's `closedText` is shown. */
const CLOSED_CODES: ReadonlySet<string> = new Set(['FORM_DISABLED', 'FORM_NOT_OPEN', 'FORM_CLOSED', 'FORM_FULL']);

/** The same error with the owner's words, if it is about a form that takes nothing now and there are any. */
export function inOwnersWords(error: AppError, form: Pick<FormRow, 'closedText'> | undefined): AppError {
	if (!form?.closedText || !CLOSED_CODES.has(error.code)) return error;
	return new AppError(error.code, form.closedText, { ...error.details, says: form.closedText });
}
