/** The kind of the setting with the saved views of the inbox. On the command line it is JSON. */

import { type SavedView, VIEW_NAME_MAX, VIEW_QUERY_MAX, VIEWS_MAX } from '../../form-values/saved-views.ts';
import { FILTERS } from '../../storage/filters.ts';
import { mapWordLists, WORD_CRITERIA } from '../../storage/owned.ts';
import { characterCount } from '../../text/character-count.ts';
import type { Check, OfKind, Words } from './setting.ts';

export const TABS = [...FILTERS, 'archived'] as const;

/** A local date. */
export const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isOneOf = (values: readonly string[]) => (value: string) => values.includes(value);
const isText = (value: string) => value !== '';
const isDay = (value: string) => DAY.test(value);
/** The parameters of a query, each with what it may be. */
const PARAMETERS: Readonly<Record<string, (value: string) => boolean>> = {
	filter: isOneOf(TABS),
	...mapWordLists('one', () => isText),
	search: isText,
	from: isDay,
	to: isDay,
	order: isOneOf(['asc', 'desc']),
};
/** They and their values, as sentences have them. */
export const VIEW_PARAMETERS = `filter (${TABS.join(', ')}), ${WORD_CRITERIA.join(', ')}, search, from and to (2026-01-31), order (asc, desc)`;
/** Returns whether the inbox knows a parameter and its value. */
export const isViewParameter = ([name, value]: [string, string]): boolean =>
	Object.hasOwn(PARAMETERS, name) && PARAMETERS[name]?.(value) === true;

export type Views = OfKind<'views', SavedView[]>;

export function views(words: Words<SavedView[]>): Views {
	const { description } = words;
	return {
		...words,
		kind: 'views',
		blank: [],
		schema: ({ Type }) =>
			Type.Array(Type.Object({ name: Type.String(), query: Type.String() }, { additionalProperties: false }), {
				description,
			}),
		check: checkViews,
		format: (list) => list.map(({ name }) => name).join(', '),
		parse: JSON.parse,
		isJson: true,
		// Searches for people, under names of the owner's.
		isTelling: true,
	};
}

function checkViews(sent: SavedView[], { name: setting, report }: Check): SavedView[] | undefined {
	if (sent.length > VIEWS_MAX) return report('TOO_MANY', `${setting} holds at most ${VIEWS_MAX} views.`);
	const names = new Set<string>();
	return sent.map((view, i) => {
		const name = view.name.trim();
		const field = `${setting}.${i}`;
		if (name === '' || characterCount(name) > VIEW_NAME_MAX || /\p{Cc}/u.test(name))
			report('INVALID_NAME', `${field}.name must be one line of 1 to ${VIEW_NAME_MAX} characters.`, `${field}.name`);
		if (names.has(name)) report('DUPLICATE', `${field}.name is the name of another view.`, `${field}.name`);
		names.add(name);
		checkQuery(view.query, { field: `${field}.query`, report });
		return { name, query: view.query };
	});
}

function checkQuery(query: string, { field, report }: { field: string; report: Check['report'] }): void {
	if (characterCount(query) > VIEW_QUERY_MAX)
		report('TOO_LONG', `${field} must have at most ${VIEW_QUERY_MAX} characters.`, field);
	else {
		const wrong = [...new URLSearchParams(query)].find((pair) => !isViewParameter(pair));
		if (!wrong) return;
		const found = JSON.stringify(wrong.join('=').slice(0, 60));
		const message = `${field} has ${found}. It is like filter=unread&label=urgent, of: ${VIEW_PARAMETERS}.`;
		report('INVALID_QUERY', message, field);
	}
}
