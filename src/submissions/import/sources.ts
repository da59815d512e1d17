/** Pure: where rows come from, and which of their columns are no fields of a submission. */

import { type Field, type ReadFields, toJson } from './rows.ts';

interface Source {
	/** Columns that may have the time, the first that is there. */
	time: readonly string[];
	/** One that says whether it is spam. */
	spam: readonly string[];
	/** A member that has the fields; what stands beside it is copies of some, and the service's own. */
	nested?: string;
	/** Columns of the service's own, which are left out. */
	dropped: readonly string[];
}

/** Names of the service's own columns are compared without case, blanks and signs: `created_at` is `Created At`. */
const ADDRESS = ['ip', 'ip address', 'user agent', 'referrer', 'referer'];
const IDS = ['id', '_id', 'uuid'];
const CREATED = ['created at', 'date', 'submitted at', 'submission date', 'timestamp'];
const SPAM = ['is spam', 'spam'];

export const SOURCES = {
	csv: { time: [], spam: [], dropped: [] },
	ndjson: { time: [], spam: [], dropped: [] },
	formspree: { time: ['_date', ...CREATED], spam: SPAM, dropped: [...IDS, '_status'] },
	netlify: {
		time: CREATED,
		spam: SPAM,
		nested: 'data',
		dropped: [...IDS, ...ADDRESS, 'number', 'site url', 'form name', 'bot field'],
	},
	basin: { time: CREATED, spam: SPAM, dropped: [...IDS, ...ADDRESS] },
	formcarry: { time: CREATED, spam: SPAM, dropped: [...IDS, ...ADDRESS] },
	web3forms: { time: CREATED, spam: SPAM, dropped: [...IDS, ...ADDRESS, 'access key'] },
	getform: { time: CREATED, spam: SPAM, dropped: [...IDS, ...ADDRESS] },
} satisfies Record<string, Source>;

export type SourceName = keyof typeof SOURCES;
export const SOURCE_NAMES = Object.keys(SOURCES) as SourceName[];

export interface Mapping {
	from: SourceName;
	/** Columns in place of those of the source. */
	time?: string | undefined;
	spam?: string | undefined;
	/** New names of columns; an empty one leaves the column out. */
	names: ReadonlyMap<string, string>;
	/** Takes fields apart that are a column of their own. */
	readFields: ReadFields;
}

/** A row of another service, with its time and spam flag as they are written there. */
export interface MappedRow {
	/** Its fields, as JSON. */
	data: string;
	time: string | undefined;
	isSpam: boolean;
}

const TRUE = /^(?:true|1|yes|y|spam)$/i;
const keyOf = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** @returns what takes the fields of each row apart */
export function createMapping({
	from,
	time,
	spam,
	names,
	readFields,
}: Mapping): (fields: readonly Field[]) => MappedRow {
	const source: Source = SOURCES[from];
	const times = time === undefined ? source.time : [time];
	const spams = spam === undefined ? source.spam : [spam];
	const dropped = new Set(source.dropped.map(keyOf));

	return (fields) => {
		const keys = fields.map(({ name }) => (names.has(name) ? '' : keyOf(name)));
		const find = (candidates: readonly string[]) => {
			// As the service spells it, for a visitor's field may be called nearly the same.
			const exact = fields.findIndex(({ name }) => name === candidates[0]);
			const key = candidates.map(keyOf).find((candidate) => candidate !== '' && keys.includes(candidate));
			return exact >= 0 || key === undefined ? exact : keys.indexOf(key);
		};
		const [timeAt, spamAt] = [find(times), find(spams)];
		const nested = fields.find(({ name, json }) => name === source.nested && json.startsWith('{'));
		const own = fields.filter((_, i) => i !== timeAt && i !== spamAt && !dropped.has(keys[i] as string));
		const kept = (nested ? readFields(nested.json) : own).flatMap(({ name: old, json }) => {
			const name = names.get(old) ?? old;
			return name === '' ? [] : [{ name, json }];
		});
		const textAt = (at: number) => {
			const field = fields[at];
			return field === undefined ? undefined : `${JSON.parse(field.json) ?? ''}`;
		};
		return { data: toJson(kept), time: textAt(timeAt), isSpam: TRUE.test(textAt(spamAt) ?? '') };
	};
}
