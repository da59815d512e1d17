/** The kind of settings that are on or off. */

import type { Setting, Words } from './setting.ts';

export interface Switch extends Setting<boolean> {
	kind: 'switch';
}

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
