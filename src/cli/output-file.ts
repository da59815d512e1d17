/** Writes the output of a command into a file: whole or not at all, with a bar on a terminal. */

import { type FileHandle, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { CommandError, type Output } from './cli.ts';
import { progressOn } from './progress.ts';

const OWNER_ONLY = 0o600;

/** Something that is written in chunks; `total` and `done` are what the bar shows. */
export interface Written {
	chunks: AsyncIterable<Uint8Array>;
	total: number;
	done: number;
}

/** Resolves once the bytes are written, with `false` if the reader has gone. */
export type Write = (bytes: Uint8Array) => Promise<boolean>;

interface FileOptions {
	file: string;
	isForced: boolean;
	/** For the bar, if it is a terminal. */
	stderr: Output;
	/** Format of the numbers beside the bar. */
	format?: (count: number) => string;
}

/** @throws CommandError if the file is there already and `isForced` is not set */
export async function writeToFile(written: Written, { file, isForced, stderr, format }: FileOptions): Promise<void> {
	const { handle, finish, discard } = await openOutput(file, isForced).catch((error: NodeJS.ErrnoException) => {
		if (error.code === 'EEXIST') throw new CommandError(`${file} exists already; --force overwrites it.`);
		throw new CommandError(`${file} cannot be written: ${error.message}`);
	});
	const progress = progressOn(stderr, format);
	try {
		await pass(written, {
			write: (bytes) => handle.writeFile(bytes).then(() => true),
			report: ({ done, total }) => progress.show(done, total),
		});
		await finish();
		progress.end();
	} catch (error) {
		await discard();
		throw error;
	} finally {
		await handle.close();
	}
}

interface OutputFile {
	handle: FileHandle;
	finish(): Promise<void>;
	/** Undoes the export. */
	discard(): Promise<void>;
}

async function openOutput(file: string, isForced: boolean): Promise<OutputFile> {
	const old = isForced ? await stat(file).catch(() => undefined) : undefined;
	if (old?.isFile()) return openReplacement(await realpath(file), old.mode);
	const isThere = old !== undefined;
	return {
		// An existing path that is no file is a pipe or a device: write to it and keep it.
		handle: await open(file, isThere ? 'w' : 'wx', OWNER_ONLY),
		finish: async () => {},
		discard: () => (isThere ? Promise.resolve() : rm(file, { force: true })),
	};
}

/** Replaces the old file as a whole, by a complete one in the same folder. */
async function openReplacement(file: string, mode: number): Promise<OutputFile> {
	const replacement = `${file}.${crypto.randomUUID()}.part`;
	const handle = await open(replacement, 'wx', OWNER_ONLY);
	return {
		handle,
		async finish() {
			await handle.chmod(mode & 0o777);
			await handle.sync();
			await rename(replacement, file);
		},
		discard: () => rm(replacement, { force: true }),
	};
}

export async function pass(
	written: Written,
	{ write, report }: { write: Write; report: (written: Written) => void },
): Promise<void> {
	for await (const bytes of written.chunks) {
		if (!(await write(bytes))) return;
		report(written);
	}
}
