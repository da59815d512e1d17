/** Pure: proposes rules that hold for given submissions, cautiously: a wrong one would turn visitors away. */

import { capitalised } from '../text/capitalised.ts';
import { atOnce, createFieldCheck, type Fields } from './check.ts';
import { dateOrder, type FieldRule, isLong } from './rules.ts';

const RULES_MAX = 100;
const NAME_MAX = 200;
const OPTIONS_MAX = 12;
const OPTION_LENGTH_MAX = 100;
/** From so many submissions on: that all have the field; that no other value is to be expected. */
const LEAST_FOR_REQUIRED = 10;
const LEAST_FOR_OPTIONS = 30;
const LEAST_OF_EACH_OPTION = 3;
const LENGTHS = [200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000];
const LEAST_LENGTH_OF_LINES = 10_000;
const TEL_NAME = /tel(?:e[fp]|$|[^a-z])|phone|mobile|handy|fax/i;
const NUMBER_NAME = /age$|amount|quantity|qty|count|guests?|persons?|people|price|budget|anzahl|menge|alter$/i;
const TICKED = new Set(['on', 'true', 'yes', '1']);

const FORMS = {
	email: isValid({ name: 'value', type: 'email' }),
	url: (value: string) => /^https?:\/\//i.test(value) && isValid({ name: 'value', type: 'url' })(value),
	number: isValid({ name: 'value', type: 'number' }),
	date: (value: string) => dateOrder(value) !== undefined,
	tel: (value: string) => /^\+?[\d\s()./-]{5,}$/.test(value),
	tick: (value: string) => TICKED.has(value),
};

type Seen = ReturnType<typeof nothingSeen>;

function nothingSeen() {
	return {
		/** In how many submissions it had a value. */
		count: 0,
		hasSeveral: false,
		isFile: false,
		longest: 0,
		hasLines: false,
		/** How often each value came, of not too many. */
		values: new Map<string, number>(),
		/** For each format, true if every value has it. */
		forms: Object.fromEntries(Object.keys(FORMS).map((form) => [form, true])) as Record<keyof typeof FORMS, boolean>,
		/** Numbers and truth values of JSON are no texts; nothing is proposed for objects. */
		isOdd: false,
	};
}

export function createSuggestion() {
	const fields = new Map<string, Seen>();
	let total = 0;

	function seenOf(name: string): Seen {
		const seen = fields.get(name) ?? nothingSeen();
		if (fields.size < RULES_MAX && name.length <= NAME_MAX) fields.set(name, seen);
		return seen;
	}

	function addValue(seen: Seen, value: unknown): boolean {
		if (value === '' || value === null) return false;
		if (typeof value !== 'string') {
			seen.isOdd = true;
			return true;
		}
		seen.longest = Math.max(seen.longest, value.length);
		seen.hasLines ||= value.includes('\n');
		if (seen.values.size <= OPTIONS_MAX) seen.values.set(value, (seen.values.get(value) ?? 0) + 1);
		for (const [form, holds] of Object.entries(FORMS)) {
			const name = form as keyof typeof FORMS;
			seen.forms[name] &&= holds(value);
		}
		return true;
	}

	return {
		add({ values, files }: Fields): void {
			total++;
			for (const [name, value] of Object.entries(values)) {
				const seen = seenOf(name);
				if (Array.isArray(value)) seen.hasSeveral = true;
				const present = (Array.isArray(value) ? value : [value]).map((item) => addValue(seen, item));
				if (!present.includes(true)) continue;
				const isFile = files.has(name);
				if (seen.count > 0 && seen.isFile !== isFile) seen.isOdd = true;
				seen.isFile = isFile;
				seen.count++;
			}
		},
		/** In the order in which the fields were first seen. */
		rules(): FieldRule[] {
			return [...fields]
				.filter(([, { count, isOdd }]) => count > 0 && !isOdd)
				.map(([name, seen]) => {
					const label = labelFrom(name);
					const isRequired = seen.count === total && total >= LEAST_FOR_REQUIRED;
					return {
						name,
						...typeOf(name, seen),
						...(label !== name && { label }),
						...(isRequired && { required: true }),
					};
				});
		},
	};
}

function typeOf(name: string, seen: Seen): Pick<FieldRule, 'type' | 'options' | 'maxLength'> {
	const { forms, longest, hasSeveral } = seen;
	if (seen.isFile) return { type: 'file' };
	if (forms.email) return { type: 'email' };
	if (forms.url) return { type: 'url' };
	if (forms.date) return { type: 'date' };
	if (forms.tick && !hasSeveral) return { type: 'checkbox' };
	if (forms.tel && TEL_NAME.test(name)) return { type: 'tel' };
	if (forms.number && NUMBER_NAME.test(name)) return { type: 'number' };
	const options = optionsOf(seen);
	if (options) return { type: hasSeveral ? 'checkbox' : 'select', options };
	// The next visitor may have more to say.
	const least = Math.max(4 * longest, seen.hasLines || isLong({ name, type: 'text' }) ? LEAST_LENGTH_OF_LINES : 0);
	const maxLength = LENGTHS.find((length) => length >= least);
	return { type: 'text', ...(maxLength !== undefined && { maxLength }) };
}

/** `undefined` unless it is plain that there are no others. */
function optionsOf({ values, count, longest }: Seen): string[] | undefined {
	if (count < LEAST_FOR_OPTIONS || values.size > OPTIONS_MAX || longest > OPTION_LENGTH_MAX) return undefined;
	return [...values.values()].every((times) => times >= LEAST_OF_EACH_OPTION) ? [...values.keys()].sort() : undefined;
}

/** `first_name` and `firstName` are shown as `First name`. */
function labelFrom(name: string): string {
	const words = name
		.replace(/\[\]$/, '')
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.split(/[\s_-]+/)
		.filter(Boolean)
		.map((word) => (/^[A-Z]{2}/.test(word) ? word : word.toLowerCase()))
		.join(' ');
	return words === '' ? name : capitalised(words);
}

function isValid(rule: FieldRule): (value: string) => boolean {
	const check = createFieldCheck([rule]);
	return (value) => atOnce(check({ values: { value }, files: new Set() })).length === 0;
}
