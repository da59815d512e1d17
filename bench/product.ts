/** The compiled program under test: its data, its key, its forms. */

import { Database } from 'bun:sqlite';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lazy } from '../src/tasks/lazy.ts';
import { remember } from '../src/tasks/remember.ts';
import type { HttpRequest } from './load.ts';
import { type Fields, fieldsOf, type Kind } from './mix.ts';
import { type Running, start } from './processes.ts';

export const ROOT = join(import.meta.dir, '..');
export const BINARY = join(ROOT, 'dist/formsrv');
/** On the project's disk: a temporary folder may be in memory, where an fsync is free. */
export const WORK = join(ROOT, 'dist/bench');

const BOUNDARY = 'form-boundary-7f3a91';

const envOf = (dataDir: string) => ({
	FORMSRV_DATA_DIR: dataDir,
	// Raised, not turned off: counting is part of the work.
	FORMSRV_RATE_SUBMIT: '1000000',
	FORMSRV_RATE_API: '1000000',
});

export interface Form {
	id: string;
	slug: string;
}

/** An instance with its own data folder `name`; `settings` by their names in the environment. */
export async function openProduct(name: string, settings: Record<string, string> = {}, binary = BINARY) {
	const dataDir = join(WORK, name);
	await mkdir(dataDir, { recursive: true });
	const env = { ...envOf(dataDir), ...settings };
	const key = (await Bun.$`${binary} keys create`.env(env).quiet().text()).trim();
	const authorization = { Authorization: `Bearer ${key}` };

	return {
		dataDir,
		env,
		file: join(dataDir, 'formsrv.db'),
		/** Where its database is. */
		place: settings.FORMSRV_DATABASE_URL ?? join(dataDir, 'formsrv.db'),
		authorization,
		/** @param prefix a command that runs it, such as strace */
		start: (prefix: string[] = []): Promise<Running> =>
			start([...prefix, binary, 'serve'], { env, log: join(WORK, `${name}.log`) }),
		async createForm(server: Running, name: string, more: Record<string, unknown> = {}): Promise<Form> {
			const response = await fetch(`${server.url}/api/forms`, {
				method: 'POST',
				headers: { ...authorization, 'Content-Type': 'application/json' },
				body: JSON.stringify({ name, ...more }),
			});
			if (response.status !== 201) throw new Error(`Creating a form: ${response.status} ${await response.text()}`);
			return (await response.json()) as Form;
		},
		/** One field of every submission in the file. */
		values({ id }: Form, field: string): unknown[] {
			using db = new Database(join(dataDir, 'formsrv.db'), { readonly: true });
			const rows = db.query<{ data: string }, [number]>('select data from submissions where form_id = ?');
			return rows.all(Number.parseInt(id, 36)).map(({ data }) => (JSON.parse(data) as Record<string, unknown>)[field]);
		},
		isAnyStored({ id }: Form): boolean {
			using db = new Database(join(dataDir, 'formsrv.db'), { readonly: true });
			const row = db.query<{ n: number }, [number]>('select exists(select 1 from submissions where form_id = ?) as n');
			return row.get(Number.parseInt(id, 36))?.n === 1;
		},
		/** Number of submissions in the file, read while the server runs. */
		stored({ id }: Form): number {
			using db = new Database(join(dataDir, 'formsrv.db'), { readonly: true });
			const formId = Number.parseInt(id, 36);
			const row = db.query<{ n: number }, [number]>('select count(*) as n from submissions where form_id = ?');
			return row.get(formId)?.n ?? 0;
		},
	};
}

export type Product = Awaited<ReturnType<typeof openProduct>>;

export async function clearWork(): Promise<void> {
	await rm(WORK, { recursive: true, force: true });
	await mkdir(WORK, { recursive: true });
}

const post = (path: string, type: string, bodies: readonly string[]): HttpRequest => ({
	path,
	method: 'POST',
	headers: { 'Content-Type': type, Accept: 'application/json' },
	bodies,
});

/** The bodies of the mix, or of one of its kinds. */
const jsonBodies = remember((kind) => fieldsOf(kind as Kind | 'mix').map((fields) => JSON.stringify(fields)), 10);
const urlencodedBodies = lazy(() => fieldsOf('mix').map((fields) => new URLSearchParams(fields).toString()));
const multipartBodies = lazy(() => fieldsOf('mix').map(toMultipart));

function toMultipart(fields: Fields): string {
	const parts = Object.entries(fields).map(
		([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
	);
	return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

export const jsonPost = (path: string, kind: Kind | 'mix' = 'mix') => post(path, 'application/json', jsonBodies(kind));

export const urlencodedPost = (path: string) => post(path, 'application/x-www-form-urlencoded', urlencodedBodies());

export const multipartPost = (path: string) =>
	post(path, `multipart/form-data; boundary=${BOUNDARY}`, multipartBodies());
