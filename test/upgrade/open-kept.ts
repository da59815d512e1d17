/** A kept database put in place, as its version left it. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { newPostgresDatabase } from '../postgres.ts';
import { tempFolder } from '../temp-folder.ts';
import { DATA, DUMP, type Engine, type Manifest, unpack } from './kept.ts';

export interface Kept {
	cwd: string;
	manifest: Manifest;
	/** Path of the file, or address. */
	place: string;
	/** Settings by which the program finds it. */
	env: Record<string, string>;
}

export async function openKept(name: string, engine: Engine): Promise<Kept> {
	const cwd = tempFolder();
	const manifest = unpack(name, engine, cwd);
	const env: Record<string, string> = { FORMSRV_DATA_DIR: join(cwd, DATA), FORMSRV_LOG_LEVEL: 'warn' };
	if (engine === 'sqlite') return { cwd, manifest, place: join(cwd, DATA, 'formsrv.db'), env };
	const place = await newPostgresDatabase();
	const sql = postgres(place, { max: 1, onnotice() {} });
	await sql.unsafe(readFileSync(join(cwd, DUMP), 'utf8'));
	await sql.end();
	return { cwd, manifest, place, env: { ...env, FORMSRV_DATABASE_URL: place } };
}
