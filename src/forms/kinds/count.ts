/** The kind of settings that are a whole number, or none. */

import type { Setting, Words } from './setting.ts';

interface CountOptions extends Words<number | null> {
	max: number;
}

export interface Count extends Setting<number | null> {
	kind: 'count';
}

export function count({ max, ...words }: CountOptions): Count {
	return {
		...words,
		kind: 'count',
		blank: null,
		schema: ({ Type }) => Type.Integer({ description: words.description }),
		check(sent, { name, report }) {
			if (Number.isInteger(sent) && sent >= 1 && sent <= max) return sent;
			return report('INVALID_COUNT', `${name} must be a whole number from 1 to ${max}.`);
		},
		format: String,
		parse: (text) => (/^\d+$/.test(text.trim()) ? Number(text) : Number.NaN),
	};
}
