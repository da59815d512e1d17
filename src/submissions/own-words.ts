/** Pure: what owners write about a submission, its labels and its note, and how that is bounded. */

import { invalidField } from '../errors.ts';
import { foldLabel, joinLabels, LABEL_MAX, LABELS_MAX, NOTE_MAX } from '../storage/labels.ts';
import type { Change } from '../storage/submission.ts';

/** A line without control characters, and without blanks around it. */
const LINE = /^[^\p{C}\p{Z}](?:[^\p{Cc}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u;

export interface OwnWords {
	labels?: readonly string[];
	note?: string | null;
}

/** @throws AppError VALIDATION_ERROR */
export function checkLabel(label: string, field: string): void {
	const length = [...label].length;
	if (length >= 1 && length <= LABEL_MAX && LINE.test(label)) return;
	const message = `${field} must be one line of 1 to ${LABEL_MAX} characters, without blanks around it.`;
	throw invalidField(field, 'INVALID_LABEL', message);
}

/** @throws AppError VALIDATION_ERROR */
export function checkLabels(labels: readonly string[], field: string): void {
	if (labels.length > LABELS_MAX)
		throw invalidField(field, 'TOO_MANY', `${field} must be at most ${LABELS_MAX}; these are ${labels.length}.`);
	const seen = new Map<string, string>();
	for (const [i, label] of labels.entries()) {
		checkLabel(label, `${field}.${i}`);
		const other = seen.get(foldLabel(label));
		if (other !== undefined) {
			const message = `${field} has ${JSON.stringify(other)} and ${JSON.stringify(label)}, which are the same label: leave one out.`;
			throw invalidField(`${field}.${i}`, 'DUPLICATE', message);
		}
		seen.set(foldLabel(label), label);
	}
}

/** As they are stored. @param within What a body has before their names, such as `set.` @throws AppError VALIDATION_ERROR */
export function storedWords({ labels, note }: OwnWords, within = ''): Pick<Change, 'labels' | 'note'> {
	if (labels) checkLabels(labels, `${within}labels`);
	const [field, length] = [`${within}note`, note ? [...note].length : 0];
	if (length > NOTE_MAX)
		throw invalidField(field, 'TOO_LONG', `${field} must have at most ${NOTE_MAX} characters; this one has ${length}.`);
	return { ...(labels && { labels: joinLabels(labels) }), ...(note !== undefined && { note }) };
}
