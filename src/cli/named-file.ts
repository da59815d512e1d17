/** Files that an operator names, to be read by a command. */

import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FILE_MAX, readBounded, readBoundedText } from '../config/bounded-file.ts';
import { systemReason } from '../text/system-reason.ts';
import { CommandError } from './cli.ts';

/** @param cwd The folder that its path is relative to. @throws CommandError */
export function readNamedFile(path: string, cwd: string, maxBytes = FILE_MAX.content): string {
	return reading(path, () => readBoundedText(resolve(cwd, path), maxBytes));
}

/** The same of a file that may hold anything. @throws CommandError */
export const readNamedBytes = (path: string, cwd: string, maxBytes: number): Buffer =>
	reading(path, () => readBounded(resolve(cwd, path), maxBytes));

/** A text as it is given, or that of the file named behind an "@". @throws CommandError */
export const textOrFile = (text: string, cwd: string) =>
	text.startsWith('@') ? readNamedFile(text.slice(1), cwd) : text;

/** Returns the whole path of a file that is read more than once, as pipes cannot be. @throws CommandError */
export function regularFile(path: string, cwd: string): string {
	const whole = resolve(cwd, path);
	const isRegular = reading(path, () => {
		accessSync(whole, constants.R_OK);
		return statSync(whole).isFile();
	});
	if (isRegular) return whole;
	throw new CommandError(`${path} is no regular file: save it as one first.`, 2);
}

function reading<T>(path: string, read: () => T): T {
	try {
		return read();
	} catch (error) {
		const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
		const reason = `${path} cannot be read: ${systemReason(error as Error)}.`;
		throw new CommandError(isMissing ? `There is no file ${path}.` : reason, 2);
	}
}
