/** The kind of settings that are a moment, or none. */

import { parseTimestamp } from '../../text/timestamp.ts';
import type { Setting, Words } from './setting.ts';

export interface Moment extends Setting<string | null> {
	kind: 'moment';
}

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
