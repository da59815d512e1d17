/** Standard output and standard error as commands write to them; whoever is slow to read holds nobody up. */

import { fstatSync } from 'node:fs';
import type { Output } from './cli.ts';

export interface StandardOutput extends Output {
	/** Resolves once everything is out, or with the reason why not. */
	finished(): Promise<string | undefined>;
}

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

/**
 * Not Node's streams of the same name: to load them takes a tenth of the time that the server needs to start, so they
 * are asked about terminals and for nothing else.
 */
export function openStandardOutput(name: keyof typeof DESCRIPTORS): StandardOutput {
	const descriptor = DESCRIPTORS[name];
	const sink = Bun.file(descriptor).writer();
	let latest: Promise<boolean> | undefined;
	let lost: string | undefined;

	async function put(text: string | Uint8Array): Promise<boolean> {
		try {
			// What is large goes out at once, what is small with the flush.
			await Promise.all([sink.write(text), sink.flush()]);
			return true;
		} catch (error) {
			const { code, message } = error as NodeJS.ErrnoException;
			// A reader that has seen enough, such as `head`, is no failure; a full disk is.
			if (code !== 'EPIPE') lost = message;
			return false;
		}
	}

	function terminal() {
		if (!fstatSync(descriptor).isCharacterDevice()) return undefined;
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
