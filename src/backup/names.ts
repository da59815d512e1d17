/** The names under which the program keeps archives: they say of which installation, from when, and with which content. */

const NAME = /^formsrv-([0-9a-f]{8})-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-([0-9a-f]{32})\.tar(?:\.age)?$/;
const HASH_DIGITS = 32;

/** The name in the database under which a server keeps its identity. */
export const INSTALLATION = 'installation';
const ID_DIGITS = 8;

export interface KeptArchive {
	name: string;
	/** The identity of its installation. */
	id: string;
	/** When it was begun, in milliseconds since 1970. */
	madeAt: number;
	/** The beginning of the SHA-256 of its bytes, encrypted or not. */
	sha256: string;
}

/** @param secret As the server notes it; missing in a database that no server has opened. */
export function installationId(secret = ''): string {
	return secret.slice(0, ID_DIGITS).padEnd(ID_DIGITS, '0');
}

export function archiveName(
	{ id, madeAt, sha256 }: { id: string; madeAt: Date; sha256: string },
	isEncrypted: boolean,
) {
	const moment = `${madeAt.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
	return `formsrv-${id}-${moment}-${sha256.slice(0, HASH_DIGITS)}.tar${isEncrypted ? '.age' : ''}`;
}

/** Returns whether a file of that name can be a backup: an archive of this program, or a dump of PostgreSQL. */
export function isBackupName(name: string): boolean {
	return NAME.test(name) || isDumpName(name);
}

export function isDumpName(name: string): boolean {
	return /\.dump$/i.test(name);
}

/** Those among the files that the program made, the newest first. @param id By default those of every installation. */
export function keptArchives(files: Iterable<{ name: string }>, id?: string): KeptArchive[] {
	const kept: KeptArchive[] = [];
	for (const { name } of files) {
		const [, of, year, month, day, hour, minute, second, sha256 = ''] = NAME.exec(name) ?? [];
		if (of === undefined || (id !== undefined && of !== id)) continue;
		const madeAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
		if (!Number.isNaN(madeAt)) kept.push({ name, id: of, madeAt, sha256 });
	}
	return kept.sort((a, b) => b.madeAt - a.madeAt);
}

/** Returns whether bytes with that SHA-256 are what an archive of that name was when it was written. */
export function isAsNamed({ sha256 }: KeptArchive, found: string): boolean {
	return found.startsWith(sha256);
}
