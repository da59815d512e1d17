/** The kinds of settings that are one plain value: on or off, a whole number, a moment. */

import { parseTimestamp } from '../../text/timestamp.ts';
import type { OfKind, Words } from './setting.ts';

export type Switch = OfKind<'switch', boolean>;

export function toggle(words: Words<boolean>): Switch {
	return {
		...words,
		kind: 'switch',
		blank: words.example,
		schema: ({ Type }) => Type.Boolean({ description: words.description }),
		check: (sent) => sent,
		format: String,
		parse: (text) => text === 'true',
		texts: ['true', 'false'],
	};
}

interface CountOptions extends Words<number | null> {
	max: number;
}

export type Count = OfKind<'count', number | null>;

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

export type Moment = OfKind<'moment', string | null>;

export function moment(words: Words<string | null>): Moment {
	return {
		...words,
		kind: 'moment',
		blank: null,
		schema: ({ Type }) => Type.String({ description: words.description }),
		check(sent, { name, report }) {
			const timestamp = parseTimestamp(sent.trim());
			if (timestamp?.isZoned) return new Date(timestamp.millis).toISOString();
			return report('INVALID_DATE', `${name} must be a moment with its zone, such as 2027-01-31T09:00:00Z.`);
		},
		format: (value) => value,
		parse: (text) => text,
	};
}
