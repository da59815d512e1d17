/** Databases of earlier versions, kept to be upgraded: an archive for each version and engine. */

import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, extract } from 'tar';
import type { Seen } from './see.ts';

export const ENGINES = ['sqlite', 'postgres'] as const;
export type Engine = (typeof ENGINES)[number];

export const KEPT_FOLDER = join(import.meta.dir, 'kept');

/** Everything in an archive but the data: what there is to be found again. */
export interface Manifest {
	/** How many migrations it has seen. */
	schema: number;
	/** Tokens of keys. */
	keys: { live: string; test: string; form: string; revoked: string };
	/** Shown by the API, to each key. */
	live: Seen;
	test: Seen;
}

/** Names in the folder of an unpacked archive. */
export const MANIFEST = 'manifest.json';
/** The data folder: the files of visitors, and the database if it is SQLite. */
export const DATA = 'data';
/** PostgreSQL only. */
export const DUMP = 'dump.sql';
/** SQLite only: a backup that the version made, earlier than the data. */
export const BACKUP = 'backup';

const archiveOf = (version: string, engine: Engine) => join(KEPT_FOLDER, version, `${engine}.tgz`);

/** All that are kept, such as `['1.0.0', 'sqlite']`. */
export function listKept(): [version: string, engine: Engine][] {
	return readdirSync(KEPT_FOLDER)
		.sort()
		.flatMap((version) => {
			const files = readdirSync(join(KEPT_FOLDER, version));
			return ENGINES.filter((engine) => files.includes(`${engine}.tgz`)).map((engine): [string, Engine] => [
				version,
				engine,
			]);
		});
}

export function unpack(version: string, engine: Engine, folder: string): Manifest {
	mkdirSync(folder, { recursive: true });
	extract({ file: archiveOf(version, engine), cwd: folder, sync: true });
	return JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as Manifest;
}

export function pack(version: string, engine: Engine, folder: string): string {
	const file = archiveOf(version, engine);
	mkdirSync(join(KEPT_FOLDER, version), { recursive: true });
	create({ file, cwd: folder, sync: true, gzip: { level: 9 }, portable: true }, readdirSync(folder).sort());
	return file;
}
