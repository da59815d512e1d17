/** Databases of earlier versions, kept with their data: the present program upgrades each, and everything is there. */

import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import postgres from 'postgres';
import { schemaVersion as postgresSchema } from '../../src/storage/postgres/migrate.ts';
import { takeServerLock } from '../../src/storage/sqlite/locks.ts';
import { schemaVersion as sqliteSchema } from '../../src/storage/sqlite/migrate.ts';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { openClient } from './client.ts';
import { BACKUP, ENGINES, type Engine, listKept, type Manifest, unpack } from './kept.ts';
import { type Kept, openKept } from './open-kept.ts';
import { type Rows, readTables } from './rows.ts';
import { type Seen, see } from './see.ts';

const WITHIN_MS = 120_000;
const CURRENT: Record<Engine, number> = { sqlite: sqliteSchema(), postgres: postgresSchema() };

/** Tables that are made anew, or say nothing of the data. */
const NOT_DATA = ['formsrv_schema', 'servers', 'settings_version'];
/** Since then a file counts as 4 KiB at least. */
const BEFORE_ROOM_OF_FILES = ['925288f'];
const ROOM_OF_FILES = ['file_bytes', 'fileBytes'];

interface Forms {
	forms: { id: string; slug: string }[];
}

function without<T>(names: string[], value: T): T {
	return JSON.parse(JSON.stringify(value, (name, member) => (names.includes(name) ? undefined : member)));
}

const LEARNT_WITHIN_MS = 30_000;

/** Asks the present program for all that it shows, by all keys. */
async function expectAllToBeSeen({ cwd, env }: Kept, manifest: Manifest): Promise<void> {
	const expectSeen = (seen: Seen, before: Seen) => {
		for (const [route, body] of Object.entries(before))
			expect({ [route]: seen[route] }).toMatchObject({ [route]: body });
	};
	await using server = await startBinary({ cwd, env });
	const client = openClient(server, manifest.keys.live);
	// Words that an earlier version split in another way are learnt anew behind the start.
	for (const giveUpAt = performance.now() + LEARNT_WITHIN_MS; ; await Bun.sleep(200)) {
		const seen = await see(client);
		if (performance.now() < giveUpAt && !Bun.deepMatch(manifest.live, seen)) continue;
		expectSeen(seen, manifest.live);
		break;
	}
	expectSeen(await see(openClient(server, manifest.keys.test)), manifest.test);
	const contact = (await client.need<Forms>('GET /api/forms')).forms.find(({ slug }) => slug === 'contact')?.id;
	const list = `GET /api/forms/${contact}/submissions`;
	expect(await openClient(server, manifest.keys.form).need<object>(list)).toEqual(await client.need<object>(list));
	expect(await openClient(server, manifest.keys.revoked).call(list)).toBeUndefined();
	expect(await server.end('SIGTERM')).toBe(0);
}

/** The earlier rows that are not there any more, compared by the columns that their version knew. */
function missingRows(rows: Rows, earlier: Rows): Rows {
	const columns = Object.keys(earlier[0] ?? {});
	const text = (row: Rows[number]) => JSON.stringify(columns.map((column) => row[column]));
	const there = new Set(rows.map(text));
	return earlier.filter((row) => !there.has(text(row)));
}

test.each(listKept())(
	'a database of %s in %s is upgraded with everything in it',
	async (name, engine) => {
		const kept = await openKept(name, engine);
		const changed = BEFORE_ROOM_OF_FILES.includes(name) ? ROOM_OF_FILES : [];
		const before = await readTables(kept.place);
		expect(before.schema).toBe(kept.manifest.schema);
		// A command upgrades, and does nothing else to the data.
		const command = await runBinary(['forms', 'list', '--json'], kept);
		expect(command).toMatchObject({ code: 0, stderr: '' });
		const after = await readTables(kept.place);
		expect(after.schema).toBe(CURRENT[engine]);
		for (const [table, earlier] of Object.entries(before.tables)) {
			if (NOT_DATA.includes(table)) continue;
			const rows = without(changed, earlier);
			const found = after.tables[table] ?? [];
			expect({ table, missing: missingRows(found, rows) }).toEqual({ table, missing: [] });
			if (table !== 'server_values') expect({ table, rows: found.length }).toEqual({ table, rows: rows.length });
		}
		await expectAllToBeSeen(kept, without(changed, kept.manifest));
		const { stdout } = await runBinary(['doctor'], kept);
		for (const check of ['database', 'counts', 'files']) expect(stdout).toMatch(new RegExp(`^ok  ${check} `, 'm'));
	},
	WITHIN_MS,
);

test.each(listKept().filter(([, engine]) => engine === 'sqlite'))(
	'a backup of %s is restored, and upgraded',
	async (name) => {
		const { cwd } = await openKept(name, 'sqlite');
		const env = { FORMSRV_DATA_DIR: join(cwd, 'restored') };
		const restored = await runBinary(['restore', join(cwd, BACKUP)], { cwd, env });
		expect(restored).toMatchObject({ code: 0 });
		const { stdout } = await runBinary(['submissions', 'export', 'contact', '--format', 'ndjson'], { cwd, env });
		expect(stdout.trim().split('\n')).toHaveLength(3);
		expect((await readTables(join(cwd, 'restored/formsrv.db'))).schema).toBe(CURRENT.sqlite);
	},
	WITHIN_MS,
);

test('below a server of an earlier version no command upgrades the database', async () => {
	const kept = await openKept('1.0.0-rc.1', 'sqlite');
	const endServer = takeServerLock(kept.place);
	const refused = await runBinary(['forms', 'list'], kept);
	expect(refused).toMatchObject({ code: 1, stdout: '' });
	expect(refused.stderr).toContain('is of an earlier version: restart it with this program');
	const backup = await runBinary(['backup', join(kept.cwd, 'before.db')], kept);
	expect(backup).toMatchObject({ code: 0 });
	expect((await readTables(kept.place)).schema).toBe(kept.manifest.schema);
	endServer?.();
	expect(await runBinary(['forms', 'list'], kept)).toMatchObject({ code: 0 });
	expect((await readTables(kept.place)).schema).toBe(CURRENT.sqlite);
});

test.each(ENGINES)(
	'a database that a later version upgraded is left alone by this one, which says so, in %s',
	async (engine) => {
		const kept = await openKept('925288f', engine);
		await runBinary(['forms', 'list'], kept);
		const later = CURRENT[engine] + 1;
		if (engine === 'sqlite') {
			const client = new Database(kept.place);
			client.run(`pragma user_version = ${later}`);
			client.close();
		} else {
			const sql = postgres(kept.place, { max: 1 });
			await sql`update formsrv_schema set version = ${later}`;
			await sql.end();
		}
		const before = await readTables(kept.place);
		for (const command of [['serve'], ['forms', 'list'], ['keys', 'create']]) {
			const { code, stdout, stderr } = await runBinary(command, kept);
			expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
			expect(stderr).toMatch(
				new RegExp(
					`database was written by a newer formsrv \\(schema ${later}, this program knows ${CURRENT[engine]}\\)`,
				),
			);
			expect(stderr.trimEnd().split('\n')).toHaveLength(1);
		}
		expect(await readTables(kept.place)).toEqual(before);
	},
	WITHIN_MS,
);

/** Versions of the changelog that are out. */
function releases(changelog: string): string[] {
	const sections = changelog.split(/^## /m).slice(1);
	return sections
		.filter((section) => !/^Unreleased|^The first release\. It is not out yet/m.test(section))
		.map((section) => section.split('\n')[0]?.trim() ?? '');
}

test('releases are read from the changelog', () => {
	expect(releases('# C\n\n## Unreleased\n\n## 1.1.0\n\nx\n## 1.0.0\n')).toEqual(['1.1.0', '1.0.0']);
	expect(releases('## 1.0.0-rc.1\n\nThe first release. It is not out yet.\n')).toEqual([]);
});

test('of each released version databases are kept, and of the newest those of its tables', async () => {
	const changelog = await Bun.file(join(import.meta.dir, '../../CHANGELOG.md')).text();
	const released = releases(changelog);
	const kept = listKept().map(([name, engine]) => `${name} ${engine}`);
	const wanted = released.flatMap((release) => ENGINES.map((engine) => `${release} ${engine}`));
	// "bun scripts/keep-databases.ts" makes them.
	expect(wanted.filter((one) => !kept.includes(one))).toEqual([]);
	const isNewestOut =
		new RegExp(`^## ${RegExp.escape(released[0] ?? 'none')}$`, 'm').exec(changelog)?.index ===
		changelog.search(/^## /m);
	if (!isNewestOut) return;
	for (const engine of ENGINES) expect(unpack(`${released[0]}`, engine, tempFolder()).schema).toBe(CURRENT[engine]);
});
