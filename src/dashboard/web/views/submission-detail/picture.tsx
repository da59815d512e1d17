/** An attached picture, drawn: the page never has an address for it that could be opened as a document. */

import { useEffect, useRef, useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { FileAddress } from '../../api-types.ts';
import { messageOf } from '../../field-errors.ts';
import { readPictureFormat } from '../../picture-format.ts';
import * as words from '../../sentences/words.ts';

/** A small file may unfold to more than a browser has memory for. */
const PIXELS_MAX = 64_000_000;
/** Enough for the column on a sharp screen. */
const EDGE_MAX = 1600;

async function decode(bytes: Uint8Array<ArrayBuffer>): Promise<ImageBitmap> {
	const format = readPictureFormat(bytes);
	if (!format) throw new Error(words.submission.noPicture);
	const { type, width, height } = format;
	if (width * height > PIXELS_MAX) {
		throw new Error(words.submission.tooManyPixels(width, height));
	}
	return createImageBitmap(new Blob([bytes], { type })).catch(() => {
		throw new Error(words.submission.damagedPicture);
	});
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
	const scale = Math.min(1, EDGE_MAX / Math.max(picture.width, picture.height));
	canvas.width = Math.max(1, Math.round(picture.width * scale));
	canvas.height = Math.max(1, Math.round(picture.height * scale));
	canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
	picture.close();
}

export function Picture({ address, name }: { address: FileAddress; name: string }) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const [state, setState] = useState<'loading' | 'shown' | { fault: string }>('loading');
	useEffect(() => {
		const leaving = new AbortController();
		const show = async () => {
			const picture = await decode(await api.files.read(address, leaving.signal));
			if (!canvas.current) return;
			draw(canvas.current, picture);
			setState('shown');
		};
		show().catch((error: unknown) => {
			if (!leaving.signal.aborted) setState({ fault: messageOf(error) });
		});
		return () => leaving.abort();
	}, [address.file]);
	if (typeof state === 'object') {
		return (
			<p class="hint" role="status">
				{state.fault}
			</p>
		);
	}
	return (
		<>
			{state === 'loading' && (
				<p class="hint" role="status">
					{words.submission.loadingPicture}
				</p>
			)}
			<canvas ref={canvas} class="picture" role="img" aria-label={name} hidden={state === 'loading'} />
		</>
	);
}
