/** Pure: when a form takes submissions, by its settings. */

import { invalidField } from '../errors.ts';
import { characterCount } from '../text/character-count.ts';

export const CLOSED_TEXT_MAX = 1000;
const CONTROLS = /[^\P{Cc}\n]/u;

interface Opening {
	opensAt: string | null;
	closesAt: string | null;
}

/** The error code of a form that takes no submission at this moment; `null` if it does. */
export function closedAt(
	{ isActive, opensAt, closesAt }: Opening & { isActive: boolean },
	at: number,
): 'FORM_DISABLED' | 'FORM_NOT_OPEN' | 'FORM_CLOSED' | null {
	if (!isActive) return 'FORM_DISABLED';
	if (opensAt !== null && at < Date.parse(opensAt)) return 'FORM_NOT_OPEN';
	return closesAt !== null && at >= Date.parse(closesAt) ? 'FORM_CLOSED' : null;
}

/** @throws AppError VALIDATION_ERROR if a form would close before it opens */
export function checkOpening({ opensAt, closesAt }: Partial<Opening>): void {
	if (!(opensAt && closesAt && Date.parse(closesAt) <= Date.parse(opensAt))) return;
	throw invalidField('closesAt', 'INVALID_DATE', `closesAt must be later than opensAt, which is ${opensAt}.`);
}

/** The shape in which the owner's words are stored; `undefined` if they are too long or no text. */
export function checkClosedText(text: string): string | undefined {
	const clean = text.replaceAll('\r\n', '\n').trim();
	return clean !== '' && characterCount(clean) <= CLOSED_TEXT_MAX && !CONTROLS.test(clean) ? clean : undefined;
}
