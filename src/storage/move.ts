/**
 * Moves a database from one engine to the other: table by table in the order of their keys, so that a move that was cut off goes on
 * behind the last row that arrived. What an engine derives (counts, blocks, names, search) is not moved but made anew.
 */

import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { AppError } from '../errors.ts';
import { ALL_TABLES } from './all-tables.ts';
import type { MovedTable, MoveSide, MoveTarget, RowValues } from './contract.ts';
import { databaseAt, openSource, openTarget } from './open.ts';
import type { Columns } from './submissions/operation.ts';
import { FORM_COUNTS, formerSlugs, forms, submissionBlocks } from './tables.ts';

interface MoveOptions {
	from: string;
	to: string;
	report(done: number, total: number): void;
}

interface TableReport {
	table: string;
	rows: number;
	/** Hash of all rows in the order of their keys, hexadecimal. */
	sha256: string;
}

/** Each engine derives these of its submissions; those that only one engine has are not among the tables of both. */
const DERIVED: readonly SQLiteTable[] = [submissionBlocks];
const COUNTS: readonly unknown[] = FORM_COUNTS.map((key) => forms[key]);
/** Features ask for their order, which both engines keep in the column `rowid`. */
const IN_ORDER: readonly SQLiteTable[] = [formerSlugs];

/** Parents before their children. */
export function movedTables(): MovedTable[] {
	const ordered = new Set<SQLiteTable>();
	const add = (table: SQLiteTable) => {
		if (ordered.has(table)) return;
		for (const key of getTableConfig(table).foreignKeys) add(key.reference().foreignTable);
		ordered.add(table);
	};
	ALL_TABLES.filter((table) => !DERIVED.includes(table)).forEach(add);
	return [...ordered].map(describe);
}

function describe(table: SQLiteTable): MovedTable {
	const { name, columns, indexes } = getTableConfig(table);
	const moved: Columns = Object.fromEntries(
		columns
			.filter((column) => !COUNTS.includes(column))
			.map((column) => [column.name, column.columnType.startsWith('SQLiteText') ? 'text' : 'bigint']),
	);
	if (IN_ORDER.includes(table)) return { name, columns: { rowid: 'bigint', ...moved }, key: ['rowid'] };
	const primary = columns.filter((column) => column.primary);
	const unique = indexes.find(({ config }) => config.unique)?.config.columns ?? [];
	return {
		name,
		columns: moved,
		key: (primary.length > 0 ? primary : unique).map((c) => (c as { name: string }).name),
	};
}

/** @throws AppError with a sentence if it cannot be done, or what arrived is not what was sent */
export async function moveDatabase({ from, to, report }: MoveOptions): Promise<TableReport[]> {
	await requireCurrent(from);
	const source = await openSource(from, movedTables());
	try {
		const target = await openTarget(to, { source: (await databaseAt(from)).name, tables: movedTables() });
		try {
			const reports = await moveAll(source, target, report);
			await target.finish();
			return reports;
		} finally {
			await target.close();
		}
	} finally {
		await source.close();
	}
}

async function requireCurrent(place: string): Promise<void> {
	const database = await databaseAt(place);
	const { isCurrent, problems } = await database.inspect('quick');
	const [problem] = problems;
	if (problem !== undefined) throw new AppError('UNAVAILABLE', problem);
	if (isCurrent) return;
	throw new AppError(
		'UNAVAILABLE',
		`${database.name} has an older schema. Start this version's server on it once, then stop it.`,
	);
}

async function moveAll(source: MoveSide, target: MoveTarget, report: MoveOptions['report']): Promise<TableReport[]> {
	const moved = movedTables();
	let total = 0;
	for (const table of moved) total += await source.count(table);
	let done = 0;
	/** Every row is sent, and compared. */
	const progress = (rows: number) => {
		done += rows;
		report(Math.min(done, 2 * total), 2 * total);
	};
	for (const table of moved) {
		const after = await target.lastKey(table);
		if (after) progress(await target.count(table));
		for await (const rows of source.rows(table, after)) {
			const kept = rows.filter((row) => !isOwn(source, table, row));
			if (kept.length > 0) await target.write(table, kept);
			progress(rows.length);
		}
	}
	const reports: TableReport[] = [];
	for (const table of moved) {
		const sent = await digest(source, table, progress);
		const arrived = await digest(target, table, () => {});
		if (sent.sha256 !== arrived.sha256)
			throw new AppError('UNAVAILABLE', `${difference(sent, arrived)} ${target.anew}`);
		reports.push(sent);
	}
	report(2 * total, 2 * total);
	return reports;
}

function isOwn({ ownValue }: MoveSide, { name }: MovedTable, [first]: RowValues): boolean {
	return name === 'server_values' && first === ownValue;
}

async function digest(side: MoveSide, table: MovedTable, progress: (rows: number) => void): Promise<TableReport> {
	const hasher = new Bun.CryptoHasher('sha256');
	let rows = 0;
	for await (const chunk of side.rows(table)) {
		for (const row of chunk) {
			if (isOwn(side, table, row)) continue;
			rows++;
			hasher.update(`${JSON.stringify(row.map(comparable))}\n`);
		}
		progress(chunk.length);
	}
	return { table: table.name, rows, sha256: hasher.digest('hex') };
}

/** PostgreSQL cannot hold the character NUL, and gets another in its place. */
function comparable(value: RowValues[number]): RowValues[number] {
	return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

function difference(sent: TableReport, arrived: TableReport): string {
	return (
		`The table ${sent.table} arrived as another (${sent.rows} rows sent, ${arrived.rows} arrived; SHA-256 ${sent.sha256} and ` +
		`${arrived.sha256}): what it came from was changed since the move began.`
	);
}
