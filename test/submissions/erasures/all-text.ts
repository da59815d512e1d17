/** All that a database and a folder of files hold, as one text: what is erased must not be in it. */

import { Database } from 'bun:sqlite';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SQL } from 'bun';
import { isPostgres } from '../../../src/config/postgres-url.ts';

/** Every cell of every table, those of the search index too. */
export async function allText(place: string): Promise<string> {
	return isPostgres(place) ? postgresText(place) : sqliteText(place);
}

function sqliteText(file: string): string {
	const client = new Database(file, { readonly: true });
	try {
		const tables = client
			.query<{ name: string; sql: string }, []>("select name, sql from sqlite_schema where type = 'table'")
			.all();
		// A virtual table has its rows in others.
		const plain = tables.filter(({ sql }) => !/^create virtual/i.test(sql));
		return plain
			.map(({ name }) => `${name}\n${client.query(`select * from "${name}"`).values().map(rowText).join('\n')}`)
			.join('\n');
	} finally {
		client.close();
	}
}

const rowText = (row: unknown[]) =>
	row.map((cell) => (cell instanceof Uint8Array ? Buffer.from(cell).toString('latin1') : `${cell}`)).join('|');

async function postgresText(url: string): Promise<string> {
	const sql = new SQL(url, { max: 1 });
	try {
		const tables =
			await sql`select table_name from information_schema.tables where table_schema = current_schema()`.values();
		const texts: string[] = [];
		for (const [name] of tables) {
			const rows = await sql.unsafe(`select t::text from "${name}" t`).values();
			texts.push(`${name}\n${rows.flat().join('\n')}`);
		}
		return texts.join('\n');
	} finally {
		await sql.end();
	}
}

/** Every file below a folder, its name included. */
export function allFiles(folder: string): string {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), 'latin1')}`)
		.join('\n');
}
