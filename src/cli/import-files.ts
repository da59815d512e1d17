/** The archive of files beside an export, as `formsrv submissions export --files` writes it. */

import { promisify } from 'node:util';
import yauzl, { type Entry, type ZipFile, type Options as ZipOptions } from 'yauzl';
import { pulled } from '../tasks/pulled-stream.ts';
import { CommandError } from './cli.ts';

const openZip = promisify<string, ZipOptions, ZipFile>(yauzl.open);

export interface FilesArchive {
	/** The bytes of a file by its path in the archive. @throws Error if it is not there */
	read(path: string): Promise<ReadableStream<Uint8Array>>;
	/** A sentence if the last one that was read could not be, from its beginning to its end. */
	problem(): string | undefined;
	close(): void;
}

/** @throws CommandError if it cannot be read */
export async function openFilesArchive(path: string): Promise<FilesArchive> {
	const unreadable = ({ message }: Error) =>
		new CommandError(`${path} cannot be read as a ZIP archive: ${sentence(message)}`);
	const zip = await openZip(path, { lazyEntries: true, autoClose: false }).catch((error) => {
		throw unreadable(error);
	});
	const entries = await entriesOf(zip).catch((error) => {
		zip.close();
		throw unreadable(error);
	});
	const openEntry = promisify<Entry, AsyncIterable<Uint8Array>>(zip.openReadStream.bind(zip) as never);
	let problem: string | undefined;

	async function* bytesOf(entry: Entry): AsyncGenerator<Uint8Array> {
		try {
			yield* await openEntry(entry);
		} catch (error) {
			problem = `it cannot be read from the archive: ${sentence((error as Error).message)}`;
			throw error;
		}
	}

	return {
		async read(name) {
			problem = undefined;
			const entry = entries.get(name);
			if (entry) return pulled(bytesOf(entry));
			problem = 'it is not in the archive.';
			throw new Error(problem);
		},
		problem: () => problem,
		close: () => zip.close(),
	};
}

function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
	const entries = new Map<string, Entry>();
	return new Promise((resolve, reject) => {
		zip.on('entry', (entry: Entry) => {
			entries.set(entry.fileName, entry);
			zip.readEntry();
		});
		zip.on('end', () => resolve(entries));
		zip.on('error', reject);
		zip.readEntry();
	});
}

const sentence = (message: string) => message.replace(/\.?$/, '.');
