/** Pure: the labels that owners give submissions, as they are stored: one a line, between line breaks. For browsers too. */

export const LABELS_MAX = 10;
/** In characters. */
export const LABEL_MAX = 40;

/** `null`: none. */
export function joinLabels(labels: readonly string[]): string | null {
	return labels.length === 0 ? null : `\n${labels.join('\n')}\n`;
}

export function splitLabels(stored: string | null): string[] {
	return stored === null ? [] : stored.slice(1, -1).split('\n');
}

/** Labels that differ in upper and lower case alone are one. */
export const foldLabel = (label: string): string => label.toLowerCase();

/** The labels without some and with others, which come last unless they are there. */
export function changeLabels(
	labels: readonly string[],
	{ addLabels = [], removeLabels = [] }: { addLabels?: readonly string[]; removeLabels?: readonly string[] },
): string[] {
	const removed = new Set(removeLabels.map(foldLabel));
	const kept = labels.filter((label) => !removed.has(foldLabel(label)));
	const there = new Set(kept.map(foldLabel));
	return [...kept, ...addLabels.filter((label) => !there.has(foldLabel(label)))];
}

/** The value of the parameter of {@link hasLabel}. */
export const labelValue = (label: string): string => `\n${label}\n`;

/** The condition that a submission has a label, in words that both engines know. */
export const hasLabel = (parameter: string): string =>
	`labels is not null and replace(labels, ${parameter}, '') <> labels`;
