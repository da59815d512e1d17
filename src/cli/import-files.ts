/** The archive of files beside an export, as `formsrv submissions export --files` writes it. */

import { promisify } from 'node:util';
import yauzl, { type Entry, type Options as ZipOptions, type ZipFile } from 'yauzl';
import { CommandError } from './cli.ts';

const openZip = promisify<string, ZipOptions, ZipFile>(yauzl.open);

export interface FilesArchive {
	/** The bytes of a file by its path in the archive; `undefined` if it is not there. */
	read(path: string): Promise<ReadableStream<Uint8Array> | undefined>;
	close(): void;
}

/** @throws CommandError if it cannot be read */
export async function openFilesArchive(path: string): Promise<FilesArchive> {
	try {
		const zip = await openZip(path, { lazyEntries: true, autoClose: false });
		const entries = await entriesOf(zip);
		const openEntry = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));
		return {
			async read(name) {
				const entry = entries.get(name);
				return entry && (new Response((await openEntry(entry)) as unknown as ReadableStream).body ?? undefined);
			},
			close: () => zip.close(),
		};
	} catch (error) {
		throw new CommandError(`${path} cannot be read as a ZIP archive: ${(error as Error).message}.`);
	}
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
