/** Standard output and standard error of commands; a slow reader does not block the process. */

import { fstatSync, type Stats, statSync } from 'node:fs';
import type { Output } from './cli.ts';

interface StandardOutput extends Output {
	/** Resolves once everything is written, with the reason if it was not. */
	finished(): Promise<string | undefined>;
}

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/**
 * Avoids Node's streams of the same name, except to detect terminals: loading them takes a tenth of the server's start
 * time.
 */
export function openStandardOutput(name: keyof typeof DESCRIPTORS): StandardOutput {
	const descriptor = DESCRIPTORS[name];
	const sink = Bun.file(descriptor).writer();
	let latest: Promise<boolean> | undefined;
	let lost: string | undefined;

	async function put(text: string | Uint8Array): Promise<boolean> {
		try {
			// A large text is written at once, a small one with the flush. Of a closed pipe the flush may throw while the write rejects.
			await Promise.all([sink.write(text), Promise.try(() => sink.flush())]);
			return true;
		} catch (error) {
			const { code, message } = error as NodeJS.ErrnoException;
			// A reader that closes early, such as `head`, is no failure; a full disk is.
			if (code !== 'EPIPE') lost = message;
			return false;
		}
	}

	function terminal() {
		const stat = statOf(descriptor);
		if (!stat?.isCharacterDevice() || stat.rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev)
			return undefined;
		const stream = process[name];
		return stream.isTTY ? stream : undefined;
	}

	return {
		write(text) {
			latest = put(text);
			return latest;
		},
		get isTTY() {
			return terminal() !== undefined;
		},
		get columns() {
			return terminal()?.columns;
		},
		async finished() {
			await latest;
			return lost;
		},
	};
}

/** Returns `undefined` for one that is closed. */
function statOf(descriptor: number): Stats | undefined {
	try {
		return fstatSync(descriptor);
	} catch {
		return undefined;
	}
}
