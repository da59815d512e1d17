/** Archives as commands name them: a file or an object in a bucket, encrypted or not. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { decrypted, isEncrypted, readIdentities } from '../backup/encryption.ts';
import { UnusableArchive } from '../backup/manifest.ts';
import { createOutput } from '../backup/output.ts';
import { openPlace } from '../backup/place.ts';
import { FILE_MAX } from '../config/bounded-file.ts';
import type { BackupTo } from '../config/file-place.ts';
import { ValueProblem } from '../config/value-problem.ts';
import { filesUrl } from '../config/value-types.ts';
import type { Config } from '../config.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import { readNamedBytes, regularFile } from './named-file.ts';
import { onStop } from './stop-signals.ts';

const ARCHIVE = /\.tar(\.age)?$/i;

/** @returns `undefined` if the text is no `s3://…`; without a name if it is of a place @throws CommandError */
export function s3Object({ s3 }: Config, text: string): { to: BackupTo; name?: string } | undefined {
	if (!/^s3:/i.test(text)) return undefined;
	const name = ARCHIVE.test(text) ? text.slice(text.lastIndexOf('/') + 1) : undefined;
	const url = parsed(name === undefined ? text : text.slice(0, -name.length));
	if ('folder' in url) return undefined;
	if (s3.accessKeyId === '' || s3.secretAccessKey === '') {
		throw new CommandError(`FORMSRV_S3_ACCESS_KEY_ID and FORMSRV_S3_SECRET_ACCESS_KEY must be set for ${text}.`, 2);
	}
	return { to: { s3: { ...url, ...s3 } }, name };
}

function parsed(text: string) {
	try {
		return filesUrl.parse(text);
	} catch (error) {
		if (error instanceof ValueProblem) throw new CommandError(`${text} ${error.message}.`, 2);
		throw error;
	}
}

/**
 * Lends a folder of `TMPDIR` for what must not stay there, as it may be readable now; Ctrl+C removes it as well. The first
 * call of the function makes it, so that nothing need be writable for what needs no folder.
 */
export async function withScratch(purpose: string, use: (folder: () => string) => Promise<void>): Promise<void> {
	let made: string | undefined;
	const folder = () => {
		made ??= mkdtempSync(join(tmpdir(), `formsrv-${purpose}-`));
		return made;
	};
	const remove = () => made !== undefined && rmSync(made, { recursive: true, force: true });
	const off = onStop(remove);
	try {
		await use(folder);
	} finally {
		off();
		remove();
	}
}

export interface PlainArchive {
	path: string;
	/** Removes it, if it is not the file that was named. */
	remove(): void;
}

/**
 * The archive as a file on this machine that can be read at any place: itself if it is, else fetched and decrypted into another.
 * @param scratch Returns the path of that one.
 * @param options With `identity`, the file with the private key.
 */
export async function plainArchive(
	cli: Cli,
	{ name, options, scratch, config }: { name: string; options: Options; scratch: () => string; config: Config },
): Promise<PlainArchive> {
	const identity = options.identity as string | undefined;
	const object = s3Object(config, name);
	const file = object ? name : regularFile(name, cli.io.cwd);
	const isSealed = object ? /\.age$/i.test(name) : await isEncrypted(file);
	if (!object && !isSealed) return { path: file, remove() {} };
	if (object && object.name === undefined) throw new CommandError(`${name} must end in .tar or .tar.age.`, 2);
	if (isSealed && identity === undefined) {
		throw new CommandError(`${name} is encrypted: name the file with its private key, by --identity.`);
	}
	const path = scratch();
	const place = await openPlace(object?.to ?? { folder: dirname(file) }, dirname(path));
	const remove = () => rmSync(path, { force: true });
	remove();
	const output = createOutput(path);
	try {
		const keys = identity !== undefined && isSealed ? await keysIn(identity, cli.io.cwd) : undefined;
		const bytes = await place.read(object?.name ?? basename(file));
		for await (const piece of keys ? decrypted(bytes, keys) : bytes) output.write(piece);
		output.sync();
		return { path, remove };
	} catch (error) {
		remove();
		if (error instanceof UnusableArchive) throw new CommandError(`${name} cannot be read. ${error.message}`);
		throw error;
	} finally {
		output.close();
	}
}

/** An archive in place of the keys gets a sentence of its own. */
const keysIn = (file: string, cwd: string) =>
	readIdentities(readNamedBytes(file, cwd, FILE_MAX.settings).toString(), file);
