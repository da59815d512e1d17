/** Compares two databases row by row. */

import type { TableComparison } from '../database.ts';
import { openReadConnection } from './connection.ts';

interface Column {
	name: string;
	/** Its place in the primary key, from 1; else 0. */
	pk: number;
}

/** Tables of the search index, which is derived and of which each database has its own. */
const DERIVED = /^sqlite_|_(?:data|idx|content|docsize|config)$/;

/** Both are of the same version; what is in use is compared as it is at this moment. @returns one entry for each table of `file` */
export function compareRows(file: string, other: string): TableComparison[] {
	using client = openReadConnection(file);
	client.query('attach ? as other').run(other);
	const tables = client
		.query<{ name: string; sql: string }, []>("select name, sql from sqlite_schema where type = 'table' order by name")
		.all()
		.filter(({ name, sql }) => !DERIVED.test(name) && !/^create virtual/i.test(sql));
	client.run('begin');
	return tables.flatMap(({ name }) => {
		const columns = client.query<Column, []>(`select name, pk from pragma_table_info('${name}', 'main')`).all();
		const there = client.query<Column, []>(`select name from pragma_table_info('${name}', 'other')`).all();
		if (columns.map((column) => column.name).join() !== there.map((column) => column.name).join()) return [];
		const keys = columns.filter(({ pk }) => pk > 0).map((column) => `"${column.name}"`);
		const key = keys.length > 0 ? keys : ['rowid'];
		const on = key.map((column) => `a.${column} = b.${column}`).join(' and ');
		const equal = columns.map((column) => `a."${column.name}" is b."${column.name}"`).join(' and ');
		const count = (query: string) => Number(client.query(query).values()[0]?.[0]);
		const both = `from main."${name}" a join other."${name}" b on ${on}`;
		const rows = count(`select count(*) from main."${name}"`);
		const shared = count(`select count(*) ${both}`);
		const same = count(`select count(*) ${both} where ${equal}`);
		const all = count(`select count(*) from other."${name}"`);
		return [{ table: name, rows, same, changed: shared - same, missing: rows - shared, added: all - shared }];
	});
}

/** How many submissions of `other` are older than the newest in `file`, and not in it; imported ones may have come since. */
export function countOmitted(file: string, other: string): number {
	using client = openReadConnection(file);
	client.query('attach ? as other').run(other);
	const [row] = client
		.query(
			'select count(*) from other.submissions where id <= (select max(id) from main.submissions) and id not in (select id from main.submissions) and id not in (select submission_id from other.imports)',
		)
		.values();
	return Number(row?.[0]);
}
