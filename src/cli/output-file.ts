/** Writes the output of a command into a file: whole or not at all, with a bar on a terminal. */

import { lstatSync, rmSync } from 'node:fs';
import { type FileHandle, open, realpath, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolderInThread } from '../storage/sync-to-disk.ts';
import { systemReason } from '../text/system-reason.ts';
import { CommandError, type Output } from './cli.ts';
import { progressOn } from './progress.ts';
import { onStop } from './stop-signals.ts';

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
	const unwritable = (error: Error): never => {
		if (error instanceof CommandError) throw error;
		throw new CommandError(`${file} cannot be written: ${systemReason(error)}.`);
	};
	const { handle, finish, discard } = await openOutput(file, isForced).catch(unwritable);
	const off = onStop(discard);
	const progress = progressOn(stderr, format);
	try {
		await pass(written, {
			write: (bytes) => handle.writeFile(bytes).then(() => true, unwritable),
			report: ({ done, total }) => progress.show(done, total),
		});
		await finish().catch(unwritable);
		progress.end();
	} catch (error) {
		discard();
		throw error;
	} finally {
		off();
		await handle.close();
	}
}

interface OutputFile {
	handle: FileHandle;
	finish(): Promise<void>;
	/** Undoes the export. */
	discard(): void;
}

async function openOutput(file: string, isForced: boolean): Promise<OutputFile> {
	if (!isForced) refuseExisting(file);
	const old = await stat(file).catch(() => undefined);
	// An existing path that is no file is a pipe or a device: write to it and keep it.
	if (old && !old.isFile()) return { handle: await open(file, 'w'), finish: async () => {}, discard: () => {} };
	const target = old ? await realpath(file) : file;
	// Under another name in the same folder until it is whole, so that a kill leaves no part that looks like all.
	const part = `${target}.${crypto.randomUUID().slice(0, 8)}.part`;
	const handle = await open(part, 'wx', OWNER_ONLY);
	return {
		handle,
		async finish() {
			if (old) await handle.chmod(old.mode & 0o777);
			await handle.sync();
			if (!isForced) refuseExisting(file);
			await rename(part, target);
			await syncFolderInThread(dirname(target));
		},
		discard: () => rmSync(part, { force: true }),
	};
}

/** @throws CommandError */
function refuseExisting(file: string): void {
	if (lstatSync(file, { throwIfNoEntry: false }))
		throw new CommandError(`${file} exists already; --force overwrites it.`);
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
