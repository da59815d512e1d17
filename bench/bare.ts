/** The baselines: Bun.serve alone, with JSON parsing, and with a durable group commit. */

import { Database } from 'bun:sqlite';

const [mode, file] = process.argv.slice(2);
const ACCEPTED = JSON.stringify({ success: true, message: 'Form submitted successfully' });
const HEADERS = { 'Content-Type': 'application/json' };
const accepted = () => new Response(ACCEPTED, { headers: HEADERS });

/** All rows of one turn of the event loop share a transaction; each promise resolves after its fsync. */
function openGroupCommit(path: string): (data: string) => Promise<void> {
	const db = new Database(path, { create: true });
	db.run('pragma journal_mode = wal');
	db.run('pragma synchronous = full');
	db.run('create table if not exists forms (id integer primary key, total integer not null)');
	db.run(
		'create table if not exists submissions (id integer primary key, form_id integer not null, data text not null)',
	);
	db.run('create index if not exists submissions_form on submissions (form_id, id)');
	db.run('insert or ignore into forms values (1, 0)');
	const insert = db.prepare('insert into submissions (form_id, data) values (1, ?)');
	const count = db.prepare('update forms set total = total + ? where id = 1');
	let queue: { data: string; resolve: () => void }[] = [];
	const commit = db.transaction((rows: typeof queue) => {
		for (const { data } of rows) insert.run(data);
		count.run(rows.length);
	}).immediate;

	function flush(): void {
		const rows = queue;
		queue = [];
		commit(rows);
		for (const { resolve } of rows) resolve();
	}

	return (data) =>
		new Promise((resolve) => {
			if (queue.push({ data, resolve }) === 1) setImmediate(flush);
		});
}

async function parseOnly(request: Request): Promise<Response> {
	const body: unknown = await request.json();
	return typeof body === 'object' ? accepted() : new Response(null, { status: 400 });
}

function store(path: string) {
	const append = openGroupCommit(path);
	return async (request: Request): Promise<Response> => {
		await append(JSON.stringify(await request.json()));
		return accepted();
	};
}

function handlerOf(): (request: Request) => Response | Promise<Response> {
	if (mode === 'json') return parseOnly;
	if (mode === 'group-full' && file) return store(file);
	return accepted;
}

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, reusePort: false, development: false, fetch: handlerOf() });
console.log(`base    ${server.url.origin}`);
