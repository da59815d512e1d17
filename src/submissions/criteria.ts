/** Pure: the criteria of lists beside `filter`, each once: parameters, members of bulk changes, and options of the command line follow. */

import type { Filter } from '../storage/filters.ts';
import { mapWordLists } from '../storage/owned.ts';
import { mapNames } from '../text/map-names.ts';

/** The most characters of a search. */
export const SEARCH_MAX = 200;

interface TextCriterion {
	/** For the API document; its first sentence is for the command line too. */
	description: string;
	example: string;
	/** Bounds of a text; a moment has none, and may be a date alone, so that the format `date-time` would be wrong. */
	schema?: { maxLength: number };
	/** It may be something that was submitted: it takes the permission to read, and is not in the audit log. */
	disclosesContent?: true;
}

const TEXTS = {
	...mapWordLists<'one', TextCriterion>('one', ({ one, max }) => ({
		description: `Only those with this ${one}, in the same upper and lower case.`,
		example: 'urgent',
		schema: { maxLength: max },
		disclosesContent: true,
	})),
	search: {
		description:
			'Only those whose values contain all of these words, also inside of words, regardless of case and accents. A word of one ' +
			'or two letters matches whole words only, unless its script has no spaces. Submissions are found about a second after they arrived.',
		example: 'ada',
		schema: { maxLength: SEARCH_MAX },
		disclosesContent: true,
	},
	since: {
		description:
			'Only those strictly later than this time, such as 2026-01-31 (00:00 UTC) or 2026-01-31T09:30:00Z (RFC 3339). Without a zone: UTC.',
		example: '2026-01-02T03:04:05Z',
	},
	until: {
		description: 'Only those from that time or earlier; a date alone includes that day. Format as `since`.',
		example: '2026-01-31',
	},
} satisfies Record<string, TextCriterion>;

/** Yes or no; without it: both. */
const SWITCHES = { archived: 'Only archived ones, or only the others (default: both).' };

type TextName = keyof typeof TEXTS;
type SwitchName = keyof typeof SWITCHES;

/** Criteria as a query or a body has them. */
export interface CriteriaInput extends Partial<Record<TextName, string> & Record<SwitchName, boolean>> {
	filter: Filter;
}

const TEXT_NAMES = Object.keys(TEXTS) as TextName[];
export const SWITCH_NAMES = Object.keys(SWITCHES) as SwitchName[];
export const CRITERIA: readonly (keyof CriteriaInput)[] = ['filter', ...SWITCH_NAMES, ...TEXT_NAMES];

export const mapTexts = <T>(of: (name: TextName, text: TextCriterion) => T) =>
	mapNames(TEXT_NAMES, (name) => of(name, TEXTS[name]));
export const mapSwitches = <T>(of: (name: SwitchName, description: string) => T) =>
	mapNames(SWITCH_NAMES, (name) => of(name, SWITCHES[name]));
