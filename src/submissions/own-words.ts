/** Pure: what owners set of a submission, as it is checked and stored. */

import { invalidField } from '../errors.ts';
import { foldLabel, joinLabels, LABEL_MAX, LABELS_MAX } from '../storage/labels.ts';
import { TEXT_NAMES, TEXTS, type TextName } from '../storage/owned.ts';

/** A line without control characters, and without blanks around it. */
const LINE = /^[^\p{C}\p{Z}](?:[^\p{Cc}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u;

interface OwnWords extends Partial<Record<TextName, string | null>> {
	labels?: readonly string[];
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

/** The changes of an owner, as they are stored. @param within What a body has before the names, such as `set.` @throws AppError VALIDATION_ERROR */
export function storedOwned<Sent extends OwnWords>(sent: Sent, within = '') {
	const { labels, ...set } = sent;
	if (labels) checkLabels(labels, `${within}labels`);
	for (const name of TEXT_NAMES) {
		const [{ max }, length] = [TEXTS[name], [...(sent[name] ?? '')].length];
		const message = `${within}${name} must have at most ${max} characters; this one has ${length}.`;
		if (length > max) throw invalidField(within + name, 'TOO_LONG', message);
	}
	return { ...set, ...(labels && { labels: joinLabels(labels) }) };
}
