/** Pure: conditional requests and ranges of bytes (RFC 9110) for content with a strong entity tag. */

export interface ByteRange {
	start: number;
	/** Excluded. */
	end: number;
}

/** The result to respond with: not modified, all bytes, a part, or an unsatisfiable range. */
export type Selected =
	| { status: 304 | 416; range?: undefined }
	| { status: 200; range?: undefined }
	| { status: 206; range: ByteRange };

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/i;

/** Selects the bytes to serve. Several ranges, or a unit other than bytes, yield the whole, as the RFC allows. */
export function selectBytes({ method, headers }: Request, { bytes, etag }: { bytes: number; etag: string }): Selected {
	if (matches(headers.get('if-none-match'), etag)) return { status: 304 };
	const asked = headers.get('range');
	const isSame = (headers.get('if-range') ?? etag) === etag;
	if (asked === null || !isSame || method !== 'GET') return { status: 200 };
	const [whole, first, last] = RANGE.exec(asked.trim()) ?? [];
	if (whole === undefined || (first === '' && last === '')) return { status: 200 };
	if (first !== '' && last !== '' && Number(last) < Number(first)) return { status: 200 };
	const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
	const end = first === '' || last === '' ? bytes : Math.min(bytes, Number(last) + 1);
	return start < end ? { status: 206, range: { start, end } } : { status: 416 };
}

/** Compared weakly, as the RFC has it for If-None-Match. */
function matches(header: string | null, etag: string): boolean {
	if (header === null) return false;
	return header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
