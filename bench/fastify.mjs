/**
 * A handwritten form backend: Fastify and better-sqlite3, a transaction for each submission. Node runs it in a folder with
 * both packages.
 */

import { createRequire } from 'node:module';

const load = createRequire(`${process.cwd()}/`);
const Database = load('better-sqlite3');
const [file, synchronous] = process.argv.slice(2);

const db = new Database(file);
db.pragma('journal_mode = wal');
db.pragma(`synchronous = ${synchronous}`);
db.exec(`
	create table if not exists forms (id integer primary key, total integer not null);
	create table if not exists submissions (id integer primary key, form_id integer not null, data text not null);
	create index if not exists submissions_form on submissions (form_id, id);
	insert or ignore into forms values (1, 0);
`);
const insert = db.prepare('insert into submissions (form_id, data) values (1, ?)');
const count = db.prepare('update forms set total = total + 1 where id = 1');
const store = db.transaction((data) => {
	insert.run(data);
	count.run();
});

const app = load('fastify')();
app.get('/health', () => ({ status: 'ok' }));
app.post('/', ({ body }) => {
	store(JSON.stringify(body));
	return { success: true, message: 'Form submitted successfully' };
});
await app.listen({ host: '127.0.0.1', port: 0 });
console.log(`base    http://127.0.0.1:${app.server.address().port}`);
