/** Reads a multipart body as it arrives: its fields into a list, its files to where they are kept. */

import { createByteQueue } from './byte-queue.ts';
import type { BodyReader } from './bytes.ts';
import { createFieldList, type Field } from './field-list.ts';
import { MORE, type PartEvent, parseMultipart, type TextLimits } from './multipart-parser.ts';

export interface SentFile {
	field: string;
	/** As sent. */
	filename: string;
	claimedType: string;
}

/** Takes the files one after the other. An exception ends the reading. */
export interface FileSink {
	/** @returns the name that stands for the file among the fields */
	begin(file: SentFile): Promise<string>;
	/** The bytes may be used again when this has returned, or resolved. */
	write(bytes: Uint8Array): void | Promise<void>;
	end(): Promise<void>;
}

export interface MultipartReader extends BodyReader {
	/** To be called once all of the body was pushed. Returns the fields in the order sent. */
	end(): Field[];
}

/** Waits for nothing while there are no files. Its errors are those of {@link parseMultipart} and of `files`. */
export function createMultipartReader(
	boundary: string | undefined,
	{ limits, files }: { limits: TextLimits; files: FileSink },
): MultipartReader {
	const input = createByteQueue();
	const events = parseMultipart(input, boundary, limits);
	const list = createFieldList(limits);
	let textLength = 0;

	function handle(event: PartEvent): void | Promise<void> {
		switch (event.kind) {
			case 'text':
				textLength += event.value.length;
				list.add(event.name, event.value);
				return;
			case 'file':
				return files.begin(event).then((name) => list.add(event.field, name));
			case 'bytes':
				return files.write(event.bytes);
			default:
				return files.end();
		}
	}

	function advance(): void | Promise<void> {
		for (let next = events.next(); !next.done && next.value !== MORE; next = events.next()) {
			const handling = handle(next.value);
			if (handling) return handling.then(advance);
		}
	}

	return {
		push(chunk) {
			input.append(chunk);
			const advancing = advance();
			return advancing ? advancing.then(input.detach) : input.detach();
		},
		heldBytes: () => input.length() + textLength,
		end() {
			input.finish();
			// A file that is not over by now is an error: nothing is left to wait for.
			void advance();
			return list.fields();
		},
	};
}
