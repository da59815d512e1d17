/** The width class of a table column, by its values. */

import { previewText } from './format.ts';

export type ColumnSize = 'narrow' | 'medium' | 'wide';

const NARROW_BELOW = 16;
const MEDIUM_BELOW = 32;

/** Uses the 90th percentile of the lengths. */
export function columnSize(values: unknown[]): ColumnSize {
	const lengths = values.map((value) => previewText(value).length).sort((a, b) => b - a);
	const typical = lengths[Math.floor(lengths.length / 10)] ?? 0;
	if (typical < NARROW_BELOW) return 'narrow';
	return typical < MEDIUM_BELOW ? 'medium' : 'wide';
}
