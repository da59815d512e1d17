/** The submissions of the soak: large texts of escapes, derived from a number, so that every byte can be checked. */

const UNIT = Buffer.alloc(64 * 1024, '\\"');
const QUOTES = Buffer.alloc(UNIT.length / 2, '"');
const PERCENT = Buffer.alloc(96 * 1024, '%22');

export type Encoding = 'json' | 'multipart' | 'urlencoded';

export interface Text {
	number: number;
	encoding: Encoding;
	/** Quotes: each is two bytes when stored. */
	quotes: number;
}

/** Sizes as shares of the largest body. */
const SHARES = [1, 1, 1, 0.3, 0.01];
const BEGINNING_BYTES = 4096;
const BOUNDARY = 'soak-boundary-7f3a91';

/** A text that fills a body of `maxBody` bytes, or a share of it; varies with `number`. */
export function textOf(number: number, maxBody: number): Text {
	const encoding = (['multipart', 'json', 'urlencoded'] as const)[number % 3] as Encoding;
	const share = SHARES[number % SHARES.length] as number;
	const bytesPerQuote = { json: 2, multipart: 1, urlencoded: 3 }[encoding];
	return { number, encoding, quotes: Math.floor((share * (maxBody - 4096)) / bytesPerQuote) };
}

export function bodyOf({ number, encoding, quotes }: Text): { type: string; body: Buffer<ArrayBuffer> } {
	if (encoding === 'json') {
		return { type: 'application/json', body: joined(head(number), repeated(UNIT, 2 * quotes), '"}') };
	}
	if (encoding === 'urlencoded') {
		const body = joined(`number=${number}&text=`, repeated(PERCENT, 3 * quotes), '');
		return { type: 'application/x-www-form-urlencoded', body };
	}
	const part = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
	const before = `${part('number')}${number}\r\n${part('text')}`;
	const body = joined(before, repeated(QUOTES, quotes), `\r\n--${BOUNDARY}--\r\n`);
	return { type: `multipart/form-data; boundary=${BOUNDARY}`, body };
}

/** SHA-256 and length of a text's JSON, as stored. */
export interface StoredText {
	hash: string;
	bytes: number;
}

export function storedTextOf({ number, quotes }: Text): StoredText {
	const hasher = new Bun.CryptoHasher('sha256');
	let bytes = 0;
	for (const piece of [Buffer.from(head(number)), ...repeated(UNIT, 2 * quotes), Buffer.from('"}')]) {
		hasher.update(piece);
		bytes += piece.length;
	}
	return { hash: hasher.digest('hex'), bytes };
}

/** Finds a text in a stream and hashes it, without holding it in memory. */
export async function checkText(
	chunks: AsyncIterable<Uint8Array>,
	expected: (number: number) => StoredText | undefined,
): Promise<{ beginning: string; number: number; isExact: boolean }> {
	const hasher = new Bun.CryptoHasher('sha256');
	let start = Buffer.alloc(0);
	let found: (StoredText & { number: number }) | undefined;
	let left = 0;
	const take = (bytes: Uint8Array) => {
		const part = bytes.subarray(0, left);
		hasher.update(part);
		left -= part.length;
	};
	for await (const chunk of chunks) {
		if (found) {
			take(chunk);
			continue;
		}
		start = Buffer.concat([start, chunk]);
		const [head, digits] = /\{"number":"(\d+)","text":"/.exec(start.toString('latin1', 0, BEGINNING_BYTES)) ?? [];
		if (head === undefined) continue;
		const number = Number(digits);
		found = { number, ...(expected(number) ?? { hash: 'unknown number', bytes: 0 }) };
		left = found.bytes;
		take(start.subarray(start.indexOf(head)));
	}
	const isExact = found !== undefined && left === 0 && hasher.digest('hex') === found.hash;
	return { beginning: start.toString('latin1', 0, BEGINNING_BYTES), number: found?.number ?? -1, isExact };
}

const head = (number: number) => `{"number":"${number}","text":"`;

function repeated(unit: Buffer, bytes: number): Buffer[] {
	const pieces = new Array<Buffer>(Math.floor(bytes / unit.length)).fill(unit);
	return [...pieces, unit.subarray(0, bytes % unit.length)];
}

function joined(before: string, pieces: Buffer[], after: string): Buffer<ArrayBuffer> {
	return Buffer.concat([Buffer.from(before), ...pieces, Buffer.from(after)]);
}
