/** Pure: detects a picture and its size by its first bytes; only formats that cannot contain anything executable. */

interface PictureFormat {
	type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp' | 'image/avif';
	width: number;
	height: number;
}

/** An AVIF says its size in boxes before the data. */
const BOXES_MAX = 65_536;

/** The format of a picture and its size in pixels; `undefined` for everything else, such as SVG. */
export function readPictureFormat(bytes: Uint8Array): PictureFormat | undefined {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const text = (start: number, end: number) => String.fromCharCode(...bytes.subarray(start, end));
	try {
		if (text(0, 8) === '\x89PNG\r\n\x1a\n' && text(12, 16) === 'IHDR') {
			return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
		}
		if (text(0, 6) === 'GIF87a' || text(0, 6) === 'GIF89a') return readGif(view);
		if (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') return readWebp(view, text(12, 16));
		if (text(0, 3) === '\xff\xd8\xff') return readJpeg(view);
		if (text(4, 8) === 'ftyp') return readAvif(view, text(8, Math.min(view.getUint32(0), 256)));
	} catch (error) {
		// Cut off: the size lies beyond the end.
		if (!(error instanceof RangeError)) throw error;
	}
	return undefined;
}

/** Goes from block to block until the first frame: browsers enlarge the screen to hold it. */
function readGif(view: DataView): PictureFormat | undefined {
	const low = (at: number) => view.getUint16(at, true);
	const flags = view.getUint8(10);
	// Behind the table of colours, if there is one.
	let at = 13 + (flags & 0x80 && 6 << (flags & 7));
	for (; view.getUint8(at) === 0x21; at += 1) {
		at += 2;
		while (view.getUint8(at)) at += 1 + view.getUint8(at);
	}
	if (view.getUint8(at) !== 0x2c) return undefined;
	const size = (screen: number, frame: number) => Math.max(low(screen), low(frame) + low(frame + 4));
	return { type: 'image/gif', width: size(6, at + 1), height: size(8, at + 3) };
}

function readWebp(view: DataView, chunk: string): PictureFormat | undefined {
	const type = 'image/webp';
	const low = (at: number) => view.getUint16(at, true);
	if (chunk === 'VP8 ') return { type, width: low(26) & 0x3fff, height: low(28) & 0x3fff };
	if (chunk === 'VP8L') {
		const packed = view.getUint32(21, true);
		return { type, width: (packed & 0x3fff) + 1, height: ((packed >> 14) & 0x3fff) + 1 };
	}
	if (chunk !== 'VP8X') return undefined;
	const size = (at: number) => low(at) + (view.getUint8(at + 2) << 16) + 1;
	return { type, width: size(24), height: size(27) };
}

/** Goes from marker to marker until the start of a frame. One without a length has no place before it: browsers go on right behind it. */
function readJpeg(view: DataView): PictureFormat | undefined {
	let at = 2;
	for (;;) {
		if (view.getUint8(at) !== 0xff) return undefined;
		const marker = view.getUint8(at + 1);
		if (marker === 0xff) at += 1;
		else if (marker < 0x02 || (marker >= 0xd0 && marker <= 0xda)) return undefined;
		else if (marker === 0xc0 || (marker >> 4 === 0xc && marker % 4 > 0)) {
			return { type: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
		} else at += 2 + view.getUint16(at + 2);
	}
}

/** The largest of its images: the tiles of a grid are smaller than the whole. */
function readAvif(view: DataView, brands: string): PictureFormat | undefined {
	if (!/avi[fs]/.test(brands)) return undefined;
	let largest: PictureFormat | undefined;
	const end = Math.min(view.byteLength, BOXES_MAX) - 16;
	for (let at = 8; at <= end; at += 1) {
		// The name of the box: `ispe`.
		if (view.getUint32(at) !== 0x69737065) continue;
		const found = { type: 'image/avif', width: view.getUint32(at + 8), height: view.getUint32(at + 12) } as const;
		if (!largest || found.width * found.height > largest.width * largest.height) largest = found;
	}
	return largest;
}
