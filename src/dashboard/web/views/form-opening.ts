/** The opening of a form, as a list says it. */

import { DAY_MS } from '../../../tasks/durations.ts';
import type { Form } from '../api-types.ts';
import { relativeTime } from '../format.ts';
import * as words from '../sentences/words.ts';

const SOON_MS = 7 * DAY_MS;
/** With no more of its places than this share left, or than one, a form is soon full. */
const SCARCE = 0.1;

interface FormOpening {
	state: string;
	/** True if it accepts submissions. */
	isOpen: boolean;
	/** A change of that before long. */
	soon?: string | undefined;
}

export function openingOf(form: Form, now: number): FormOpening {
	const { isActive, opensAt, closesAt, maxSubmissions, submissionCount } = form;
	if (!isActive) return { state: words.controls.paused, isOpen: false };
	if (opensAt !== null && Date.parse(opensAt) > now)
		return { state: words.forms.notOpenYet, isOpen: false, soon: words.forms.opens(relativeTime(opensAt, now)) };
	if (closesAt !== null && Date.parse(closesAt) <= now) return { state: words.forms.closed, isOpen: false };
	if (maxSubmissions !== null && submissionCount >= maxSubmissions) return { state: words.forms.full, isOpen: false };
	return { state: words.controls.active, isOpen: true, soon: soonClosed(form, now) };
}

function soonClosed({ closesAt, maxSubmissions, submissionCount }: Form, now: number): string | undefined {
	if (closesAt !== null && Date.parse(closesAt) - now < SOON_MS) return words.forms.closes(relativeTime(closesAt, now));
	const left = maxSubmissions === null ? Number.POSITIVE_INFINITY : maxSubmissions - submissionCount;
	return left > Math.max(1, SCARCE * (maxSubmissions ?? 0)) ? undefined : words.forms.placesLeft(left);
}
