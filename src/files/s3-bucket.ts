/** The objects of an S3 bucket below its prefix: each is sent in one request, read, listed and removed with patience. */

import { stat } from 'node:fs/promises';
import type { S3Place } from '../config/file-place.ts';
import type { ByteRange } from '../http/byte-range.ts';
import { createS3, FinalError } from './s3-requests.ts';
import { streamFile } from './stream-file.ts';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 300;

interface StoredName {
	/** Below the prefix. */
	name: string;
	bytes: number;
	/** In milliseconds since 1970. */
	changedAt: number;
}

/** @param stallMs With nothing sent or received for so long, a request is given up, in all its attempts. */
export function openBucket(place: S3Place, stallMs: number) {
	const s3 = createS3(place);
	const { prefix } = place;
	const base = prefix === '' ? '' : `${prefix}/`;
	const pathOf = (name: string) => base + name;

	/** A request may be repeated, because each has the same effect when it is. */
	async function repeatedly<T>(act: (patience: Patience) => Promise<T>): Promise<T> {
		const patience = createPatience(stallMs);
		try {
			for (let attempt = 1; ; attempt++) {
				try {
					return await act(patience);
				} catch (error) {
					if (attempt === ATTEMPTS || patience.signal.aborted || error instanceof FinalError) throw error;
					await Bun.sleep(FIRST_PAUSE_MS * 2 ** attempt);
				}
			}
		} finally {
			patience.end();
		}
	}

	/** @returns `undefined` if there is no such object */
	async function read(name: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined> {
		const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end - 1}` } : {};
		const found = await repeatedly(async (patience) => {
			const response = await s3.open({ method: 'GET', path: pathOf(name), headers, signal: patience.signal });
			const bytes = Number(response?.headers.get('content-length'));
			if (response && range && (response.status !== 206 || bytes !== range.end - range.start)) {
				await response.body?.cancel();
				throw new FinalError(`The file ends before byte ${range.end}.`);
			}
			return response && { body: response.body, patience };
		});
		if (!found) return undefined;
		return found.body ? throughout(found.body, found.patience) : new Blob([]).stream();
	}

	async function* list(): AsyncGenerator<StoredName> {
		let token: string | undefined;
		for (;;) {
			const query = { 'list-type': '2', prefix: base, ...(token !== undefined && { 'continuation-token': token }) };
			const page = await repeatedly(({ signal }) => s3.ask({ method: 'GET', query, signal }, 'LIST'));
			if (!page?.includes('</ListBucketResult>')) throw s3.described(new Error('its list cannot be read'), 'LIST');
			for (const [, object = ''] of page.matchAll(/<Contents>(.*?)<\/Contents>/gs)) {
				const path = elementOf(object, 'Key');
				const changedAt = Date.parse(elementOf(object, 'LastModified'));
				const bytes = Number(elementOf(object, 'Size'));
				if (path.startsWith(base)) yield { name: path.slice(base.length), bytes, changedAt };
			}
			if (elementOf(page, 'IsTruncated') !== 'true') return;
			const next = elementOf(page, 'NextContinuationToken');
			// Taken for the end, it would have files for missing that are there.
			if (next === '' || next === token) throw s3.described(new Error('its list does not go on'), 'LIST');
			token = next;
		}
	}

	return {
		/** One request carries all of the file, so that there is never a part of an object. */
		upload: (name: string, path: string) =>
			repeatedly(async (patience) => {
				const { size } = await stat(path);
				const headers = { 'content-length': String(size), 'content-type': 'application/octet-stream' };
				const body = streamFile(path, { start: 0, end: size }, patience.renew);
				await s3.put({ path: pathOf(name), body, headers, signal: patience.signal });
			}),
		read,
		list,
		remove: (name: string) => repeatedly(({ signal }) => s3.ask({ method: 'DELETE', path: pathOf(name), signal })),
		/** Writes, reads and removes an object: what is no S3 service may respond to anything with success. @throws Error with a sentence */
		async check(name: string): Promise<void> {
			const path = pathOf(name);
			await repeatedly(({ signal }) => s3.put({ path, body: name, signal }));
			const kept = await repeatedly(({ signal }) => s3.ask({ method: 'GET', path, signal }));
			await repeatedly(({ signal }) => s3.ask({ method: 'DELETE', path, signal }));
			if (kept !== name) throw s3.described(new Error('it did not keep what was sent'), 'PUT');
		},
	};

	/** Without the address that an error of the body names; a slow reader uses up no patience. */
	function throughout(body: ReadableStream<Uint8Array>, patience: Patience): ReadableStream<Uint8Array> {
		const reader = body.getReader();
		return new ReadableStream<Uint8Array>(
			{
				async pull(controller) {
					patience.renew();
					const { done, value } = await reader
						.read()
						.catch((error) => {
							throw s3.described(error, 'GET');
						})
						.finally(patience.end);
					if (done) controller.close();
					else controller.enqueue(value);
				},
				cancel: (reason) => reader.cancel(reason),
			},
			{ highWaterMark: 0 },
		);
	}
}

type Patience = ReturnType<typeof createPatience>;

/** Its signal ends a request that was not renewed for so long. */
function createPatience(ms: number) {
	const controller = new AbortController();
	const giveUp = () => controller.abort(new Error('it did not respond in time'));
	let timer = setTimeout(giveUp, ms);
	return {
		signal: controller.signal,
		renew(): void {
			clearTimeout(timer);
			timer = setTimeout(giveUp, ms);
		},
		end: () => clearTimeout(timer),
	};
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

const LAST_CODE_POINT = 0x10ffff;

/** The text of the first element of this name; empty if there is none. */
function elementOf(xml: string, name: string): string {
	const [, text = ''] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
	return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, entity) => {
		if (entity !== undefined) return ENTITIES[entity] ?? whole;
		const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
		return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
	});
}
