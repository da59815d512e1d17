/** The destination of an export: a file on disk if the browser supports it, else memory and a download. */

export interface Sink {
	write: (chunk: Uint8Array) => Promise<void>;
	close: () => Promise<void>;
}

interface PickerWindow {
	showSaveFilePicker?: (options: { suggestedName: string }) => Promise<{ createWritable: () => Promise<Sink> }>;
}

/** Has the browser save what is at an address, under the name that the response gives it unless there is one. */
export function download(href: string, name = ''): void {
	const link = document.createElement('a');
	link.href = href;
	link.download = name;
	link.click();
}

/** For a large file asks where to save, and streams to disk. @throws AbortError if the user cancels */
export async function openSink({ name, isLarge }: { name: string; isLarge: boolean }): Promise<Sink> {
	const { showSaveFilePicker } = window as PickerWindow;
	if (isLarge && showSaveFilePicker) {
		return (await showSaveFilePicker({ suggestedName: name })).createWritable();
	}
	const parts: BlobPart[] = [];
	return {
		write: async (chunk) => {
			parts.push(chunk as Uint8Array<ArrayBuffer>);
		},
		close: async () => {
			const href = URL.createObjectURL(new Blob(parts));
			download(href, name);
			setTimeout(() => URL.revokeObjectURL(href), 60_000);
		},
	};
}
