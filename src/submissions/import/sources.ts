/** Pure: where rows come from, and which of their columns are no fields of a submission. */

import { AppError } from '../../errors.ts';
import { type ImportedField, type ReadFields, toJson } from './rows.ts';

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
/** The likeliest first; forms have fields called `date` of their own. */
const CREATED = ['created at', 'submitted at', 'submission date', 'timestamp', 'date'];
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
	/** True if rows need no time. */
	isTimeNow: boolean;
	/** Takes fields apart that are a column of their own. */
	readFields: ReadFields;
}

export interface Mapper {
	map(fields: readonly ImportedField[]): MappedRow;
	/** @throws AppError INVALID_BODY if a file with these columns lacks one that is named, or that of the time */
	checkColumns(columns: readonly string[]): void;
	/** Columns that options name and no row had, with the option. */
	unseen(): NamedColumn[];
}

interface NamedColumn {
	option: string;
	column: string;
}

/** A row of another service, with its time and spam flag as they are written there. */
export interface MappedRow {
	/** Its fields, as JSON. */
	data: string;
	time: string | undefined;
	isSpam: boolean;
}

const TRUE = /^(?:true|1|yes|y|spam)$/i;
const COLUMNS_SHOWN = 20;
const keyOf = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

export function createMapping({ from, time, spam, names, isTimeNow, readFields }: Mapping): Mapper {
	const source: Source = SOURCES[from];
	const times = time === undefined ? source.time : [time];
	const spams = spam === undefined ? source.spam : [spam];
	const dropped = new Set(source.dropped.map(keyOf));
	let unseen: NamedColumn[] = [
		...Array.from(names.keys(), (column) => ({ option: '--map', column })),
		...(time === undefined ? [] : [{ option: '--time', column: time }]),
		...(spam === undefined ? [] : [{ option: '--spam', column: spam }]),
	];

	/** Those of columns that are renamed are empty. */
	const keysOf = (columns: readonly string[]) => columns.map((name) => (names.has(name) ? '' : keyOf(name)));

	/** Returns the place of the first candidate among columns with these keys, -1 if there is none. */
	function find(candidates: readonly string[], columns: readonly string[], keys: readonly string[]): number {
		// As the service spells it, for a visitor's field may be called nearly the same.
		const exact = columns.indexOf(candidates[0] as string);
		const key = candidates.map(keyOf).find((candidate) => candidate !== '' && keys.includes(candidate));
		return exact >= 0 || key === undefined ? exact : keys.indexOf(key);
	}

	function see(columns: readonly string[]): void {
		if (unseen.length === 0) return;
		const keys = keysOf(columns);
		unseen = unseen.filter(({ option, column }) =>
			option === '--map' ? !columns.includes(column) : find([column], columns, keys) < 0,
		);
	}

	return {
		checkColumns(columns) {
			see(columns);
			const shown = columns.slice(0, COLUMNS_SHOWN).map((name) => JSON.stringify(name));
			const theirs = `Its columns are ${shown.join(', ')}${columns.length > shown.length ? ' and others' : ''}.`;
			const [missing] = unseen;
			if (missing)
				throw wrong(
					`${missing.option} names ${JSON.stringify(missing.column)}, which the file does not have. ${theirs}`,
				);
			if (!isTimeNow && find(times, columns, keysOf(columns)) < 0)
				throw wrong(`The file has no time: name its column with --time, or add --time-now. ${theirs}`);
		},

		unseen: () => unseen,

		map(fields) {
			const columns = fields.map(({ name }) => name);
			const keys = keysOf(columns);
			const [timeAt, spamAt] = [find(times, columns, keys), find(spams, columns, keys)];
			const nested = fields.find(({ name, json }) => name === source.nested && json.startsWith('{'));
			const own = fields.filter((_, i) => i !== timeAt && i !== spamAt && !dropped.has(keys[i] as string));
			const read = nested ? readFields(nested.json) : own;
			see(nested ? [...columns, ...read.map(({ name }) => name)] : columns);
			const kept = read.flatMap(({ name: old, json }) => {
				const name = names.get(old) ?? old;
				return name === '' ? [] : [{ name, json }];
			});
			return { data: toJson(kept), time: textOf(fields[timeAt]), isSpam: TRUE.test(textOf(fields[spamAt]) ?? '') };
		},
	};
}

/** A text as it is, nothing for `null`, other values as JSON. */
function textOf(field: ImportedField | undefined): string | undefined {
	if (field === undefined || field.json === 'null') return undefined;
	return field.json.startsWith('"') ? (JSON.parse(field.json) as string) : field.json;
}

function wrong(message: string): AppError {
	return new AppError('INVALID_BODY', message);
}
