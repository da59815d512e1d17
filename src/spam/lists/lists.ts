/** Block and allow lists, of single forms and of all forms of a mode: kept, changed, and ready for the judge. */

import { and, asc, count, eq, inArray, isNull } from 'drizzle-orm';
import { type FieldError, rejectFaults } from '../../errors.ts';
import { isAddressOrRange } from '../../network/address-ranges.ts';
import type { RecordedChange } from '../../storage/audit/changes.ts';
import type { Db, Storage } from '../../storage/contract.ts';
import { type FormRow, LISTS, type ListName, listEntries, type Mode } from '../../storage/tables.ts';
import { ChangedMeanwhile, untilUnchanged } from '../../storage/until-unchanged.ts';
import { MAX_ENTRIES, parseEntry } from './entry.ts';
import { createMatcher, type Matcher } from './matcher.ts';
import type { ChangeLists, ListCounts, Lists } from './schema.ts';

/** A statement takes only so many parameters. */
const ROWS_OF_STATEMENT = 500;
/** The characters of a wrong entry that are quoted: in a list of hundreds its number alone is hard to find. */
const ENTRY_SHOWN = 80;

/** One form, by its public id, or all forms of a mode. */
type ListScope = { mode: Mode; form?: undefined } | { mode?: Mode; form: string };

/** The look-ups of the judge: `undefined` if a list has no entry. */
export interface Matchers {
	allow: Matcher | undefined;
	block: Matcher | undefined;
}

interface Scope {
	mode: Mode;
	formId: number | null;
}

export type SpamLists = ReturnType<typeof createLists>;

export function createLists(storage: Storage) {
	const { db } = storage;
	/** A row is another object once any setting has changed, lists included. */
	const byRow = new WeakMap<FormRow, Matchers | null>();
	const entriesOf = { version: -1, byMode: new Map<Mode, Promise<Lists>>() };

	async function scopeOf({ mode, form }: ListScope): Promise<Scope> {
		if (form === undefined) return { mode: mode as Mode, formId: null };
		const row = await storage.findForm(form, mode);
		return { mode: row.mode, formId: row.id };
	}

	async function read(scope: Scope): Promise<Lists> {
		const rows = await db
			.select({ list: listEntries.list, entry: listEntries.entry })
			.from(listEntries)
			.where(isIn(scope))
			.orderBy(asc(listEntries.id));
		const of = (name: ListName) => rows.filter(({ list }) => list === name).map(({ entry }) => entry);
		return { block: of('block'), allow: of('allow') };
	}

	/** Those of all forms of a mode, read once for as long as no setting changes. */
	async function readShared(mode: Mode): Promise<Lists> {
		const version = await storage.settingsVersion();
		if (version !== entriesOf.version) {
			entriesOf.byMode.clear();
			entriesOf.version = version;
		}
		let reading = entriesOf.byMode.get(mode);
		if (!reading) {
			reading = read({ mode, formId: null });
			entriesOf.byMode.set(mode, reading);
			reading.catch(() => entriesOf.byMode.delete(mode));
		}
		return reading;
	}

	async function readMatchers(form: FormRow): Promise<void> {
		const [own, shared] = await Promise.all([read({ mode: form.mode, formId: form.id }), readShared(form.mode)]);
		const matcherOf = (name: ListName) => {
			const entries = [...own[name], ...shared[name]];
			return entries.length > 0 ? createMatcher(entries) : undefined;
		};
		const matchers = { allow: matcherOf('allow'), block: matcherOf('block') };
		byRow.set(form, matchers.allow || matchers.block ? matchers : null);
	}

	/** @throws ChangedMeanwhile if other changes came between; then nothing was changed. */
	async function changeOnce(scope: Scope, changes: Record<ListName, Change>): Promise<ListCounts> {
		const before = await read(scope);
		const after = (name: ListName) => {
			const { isNew, add, remove } = changes[name];
			const removed = new Set(remove);
			return new Set([...(isNew ? [] : before[name].filter((entry) => !removed.has(entry))), ...add]);
		};
		const counts = { block: after('block').size, allow: after('allow').size };
		const full = LISTS.filter((name) => counts[name] > MAX_ENTRIES).map((field) => ({
			field,
			code: 'TOO_MANY',
			message: `${field} holds at most ${MAX_ENTRIES} entries.`,
		}));
		rejectFaults(full);
		const write = (tx: Db) => [
			...LISTS.flatMap((name) => {
				const { isNew, add, remove } = changes[name];
				const inList = and(isIn(scope), eq(listEntries.list, name));
				const rows = add.map((entry) => ({ id: storage.nextId(), ...scope, list: name, entry }));
				return [
					...(isNew ? [tx.delete(listEntries).where(inList)] : []),
					...chunks(remove).map((some) => tx.delete(listEntries).where(and(inList, inArray(listEntries.entry, some)))),
					...chunks(rows).map((some) => tx.insert(listEntries).values(some).onConflictDoNothing()),
				];
			}),
			tx.select({ made: count() }).from(listEntries).where(isIn(scope)),
		];
		await storage.batch(write, (results) => {
			const [counted] = results.at(-1) as { made: number }[];
			if (counted?.made !== counts.block + counts.allow) throw new ChangedMeanwhile();
			return { ...recordedOf(scope), changes: countChanges(before, counts) };
		});
		return counts;
	}

	return {
		async get(scope: ListScope): Promise<Lists> {
			return read(await scopeOf(scope));
		},
		/**
		 * Replaces a list by an array of entries, or adds some and removes some. @returns how many entries there are then
		 * @throws AppError FORM_NOT_FOUND, VALIDATION_ERROR that names every entry at fault
		 */
		async change(of: ListScope, input: ChangeLists): Promise<ListCounts> {
			const scope = await scopeOf(of);
			const changes = checkChanges(input);
			const counts = await untilUnchanged(() => changeOnce(scope, changes));
			if (scope.formId !== null) storage.events.publish({ type: 'change', formId: scope.formId });
			return counts;
		},
		/** Reads what the judge needs for a form; `undefined` if that is there already, as usual. */
		prepare: (form: FormRow): Promise<void> | undefined => (byRow.has(form) ? undefined : readMatchers(form)),
		/** Returns the matchers of a form; `null` without entries. */
		of: (form: FormRow): Matchers | null => byRow.get(form) ?? null,
	};
}

function recordedOf({ mode, formId }: Scope) {
	return { mode, ...(formId !== null && { formId }) };
}

/** How long the lists were and are. The entries themselves are not recorded: they may name persons, who may ask to be forgotten. */
function countChanges(before: Lists, after: ListCounts): Record<string, RecordedChange> {
	const counts = LISTS.map((name) => [name, { before: before[name].length, after: after[name] }] as const);
	return Object.fromEntries(counts.filter(([, count]) => count.before !== count.after));
}

function isIn({ mode, formId }: Scope) {
	return formId === null ? and(eq(listEntries.mode, mode), isNull(listEntries.formId)) : eq(listEntries.formId, formId);
}

interface Change {
	isNew: boolean;
	add: string[];
	remove: string[];
}

function checkChanges(input: ChangeLists): Record<ListName, Change> {
	const issues: FieldError[] = [];
	const check = (entries: readonly string[], path: string) => [
		...new Set(
			entries.map((text, i) => {
				const entry = parseEntry(text, isAddressOrRange);
				if (entry === undefined) issues.push(entryError(`${path}.${i}`, text));
				return entry as string;
			}),
		),
	];
	const changeOf = (name: ListName): Change => {
		const change = input[name];
		if (change === null || Array.isArray(change)) return { isNew: true, add: check(change ?? [], name), remove: [] };
		const { add, remove } = change ?? {};
		return { isNew: false, add: check(add ?? [], `${name}.add`), remove: check(remove ?? [], `${name}.remove`) };
	};
	const changes = { block: changeOf('block'), allow: changeOf('allow') };
	rejectFaults(issues);
	return changes;
}

function entryError(field: string, text: string): FieldError {
	const message =
		`${field} must be email:, domain:, cidr: or text: and a mail address, a domain, an address or range of addresses, or a text of ` +
		`3 to 200 characters, such as domain:example.com; not ${JSON.stringify(text.slice(0, ENTRY_SHOWN))}.`;
	return { field, code: 'INVALID_ENTRY', message };
}

function chunks<T>(all: readonly T[]): T[][] {
	return Array.from({ length: Math.ceil(all.length / ROWS_OF_STATEMENT) }, (_, i) =>
		all.slice(i * ROWS_OF_STATEMENT, (i + 1) * ROWS_OF_STATEMENT),
	);
}
