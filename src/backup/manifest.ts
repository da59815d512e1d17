/** The manifest, the last member of an archive: a line of JSON for each member, and one that vouches for these lines. */

import { isKey } from '../files/file-store.ts';
import { DATABASE, keyIn } from './layout.ts';

const FORMAT = 'formsrv backup';
const VERSION = 1;
const SHA256 = /^[0-9a-f]{64}$/;
/** Length of a manifest line in an error. */
const SHOWN = 200;

/** An archive cannot be used as it is; the message is a sentence. */
export class UnusableArchive extends Error {
	constructor(message: string) {
		super(message);
		this.name = 'UnusableArchive';
	}
}

export interface Heading {
	program: string;
	madeAt: Date;
	/** The names of the settings that were set, which are not in it; empty in an archive by an earlier version. */
	settings?: readonly string[];
}

export interface Member {
	name: string;
	bytes: number;
	/** Hexadecimal; `null`: it was not in the file store any more, and is not in the archive. */
	sha256: string | null;
	/** The file store had other bytes than the visitor sent. */
	isChanged?: boolean;
}

/** The lines above the last one. */
export interface Sum {
	bytes: number;
	sha256: string;
}

export function headingLine({ program, madeAt, settings = [] }: Heading): string {
	return lineOf({ format: FORMAT, version: VERSION, program, madeAt: madeAt.toISOString(), settings });
}

export function memberLine({ name, bytes, sha256, isChanged }: Member): string {
	return lineOf({ name, bytes, sha256, isChanged });
}

export function lastLine({ bytes, sha256 }: Sum): string {
	return lineOf({ manifest: { bytes, sha256 } });
}

function lineOf(value: object): string {
	return `${JSON.stringify(value)}\n`;
}

/** @throws UnusableArchive if it is of no archive of this version */
export function parseHeading(line: string): Heading {
	const { format, version, program, madeAt, settings = [] } = read(line);
	if (format !== FORMAT) throw new UnusableArchive('It is not a formsrv backup.');
	if (version !== VERSION) {
		throw new UnusableArchive(
			`It is of version ${version}, this program reads ${VERSION}: use the formsrv that made it (${program}).`,
		);
	}
	return { program: String(program), madeAt: new Date(madeAt), settings: settings.map(String) };
}

/** @throws UnusableArchive if it is no member that there can be */
export function parseMember(line: string): Member {
	const { name, bytes, sha256, isChanged } = read(line);
	const isName = name === DATABASE || isKey(keyIn(String(name)) ?? '');
	const isHash = SHA256.test(sha256) || (sha256 === null && name !== DATABASE);
	if (!isName || !Number.isSafeInteger(bytes) || bytes < 0 || !isHash) throw impossible(line);
	return { name, bytes, sha256, isChanged: isChanged === true };
}

/** @returns `undefined` if it is none */
export function parseLast(line: string): Sum | undefined {
	try {
		const { bytes, sha256 } = JSON.parse(line).manifest;
		return lastLine({ bytes, sha256 }) === `${line}\n` ? { bytes, sha256 } : undefined;
	} catch {
		return undefined;
	}
}

function read(line: string) {
	try {
		return Object(JSON.parse(line));
	} catch {
		throw impossible(line);
	}
}

function impossible(line: string): UnusableArchive {
	return new UnusableArchive(`The manifest has an invalid line: ${line.slice(0, SHOWN)}`);
}
