/** All rows of a database of any version, by table. */

import { Database } from 'bun:sqlite';
import postgres from 'postgres';

export type Rows = Record<string, unknown>[];

export interface Tables {
	/** How many migrations it has seen. */
	schema: number;
	tables: Record<string, Rows>;
}

/** Reads all rows without the program. @param place of an SQLite file, or address of PostgreSQL */
export async function readTables(place: string): Promise<Tables> {
	return place.startsWith('postgres:') ? readPostgres(place) : readSqlite(place);
}

function readSqlite(file: string): Tables {
	const client = new Database(file, { safeIntegers: true });
	const names = client
		.query("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
		.values();
	const read = ([name]: unknown[]): [string, Rows] => [
		`${name}`,
		client.query(`select * from "${name}"`).all() as Rows,
	];
	const tables = Object.fromEntries(names.filter(([name]) => !isSearchSegment(`${name}`)).map(read));
	const schema = Number(client.query('pragma user_version').values()[0]?.[0]);
	client.close();
	return { schema, tables: sorted(tables) };
}

/** Pieces of an index, which are merged at any time. */
const isSearchSegment = (table: string) => /^search_\w*\d/.test(table);

async function readPostgres(address: string): Promise<Tables> {
	const sql = postgres(address, { max: 1, onnotice() {} });
	const names = await sql`select tablename from pg_tables where schemaname = 'public' order by 1`;
	const tables: Record<string, Rows> = {};
	for (const { tablename } of names) tables[tablename] = [...(await sql`select * from ${sql(tablename)}`)];
	const schema = Number((await sql`select version from formsrv_schema`)[0]?.version);
	await sql.end();
	return { schema, tables: sorted(tables) };
}

/** Rows have no order of their own. */
function sorted(tables: Record<string, Rows>): Record<string, Rows> {
	const text = (row: object) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
	return Object.fromEntries(
		Object.entries(tables).map(([name, rows]) => {
			const keyed = rows.map((row) => ({ row, key: text(row) }));
			keyed.sort((a, b) => (a.key < b.key ? -1 : 1));
			return [name, keyed.map(({ row }) => JSON.parse(text(row)) as Rows[number])];
		}),
	);
}
