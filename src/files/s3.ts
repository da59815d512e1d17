/**
 * The file store in an S3 bucket, through the runtime's client. A file lies in a folder of this machine until it is whole,
 * and then goes to the bucket in one request.
 */

import { stat } from 'node:fs/promises';
import type { S3Place } from '../config/file-place.ts';
import type { ByteRange } from '../http/byte-range.ts';
import { type FileStore, isKey, MissingFile, newKey } from './file-store.ts';
import { createIncoming } from './incoming.ts';
import { streamFile } from './stream-file.ts';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 300;
/** Without a byte for so long, a request is given up. */
const STALL_MS = 15_000;
const URL_SECONDS = 15 * 60;
/** Removed at one time. */
const REMOVALS = 8;
/** Responses that another attempt may change. */
const isPassing = (status: number) => status >= 500 || status === 429 || status === 408;

/** @param folder Where files are until they are whole. */
export function openS3(
	{ prefix, endpoint, ...place }: S3Place,
	folder: string,
	{ stallMs = STALL_MS }: { stallMs?: number } = {},
): FileStore {
	const address = endpoint ?? `https://s3.${place.region}.amazonaws.com`;
	const client = new Bun.S3Client({ ...place, endpoint: address });
	const incoming = createIncoming(folder);
	const base = prefix === '' ? '' : `${prefix}/`;
	const pathOf = (key: string) => base + key;

	/** Requests are signed in their address, which must not get into the log. */
	async function request(method: 'GET' | 'PUT', key: string, init: RequestInit): Promise<Response> {
		const url = client.presign(pathOf(key), { method, expiresIn: URL_SECONDS });
		try {
			return await fetch(url, { ...init, method, redirect: 'error' });
		} catch (error) {
			throw new Error(`The S3 service at ${address} cannot be reached: ${reasonOf(error)}.`);
		}
	}

	/** One request carries all of it, so that there is never a part of an object. */
	async function upload(key: string, path: string): Promise<void> {
		const { size } = await stat(path);
		const headers = { 'content-length': String(size), 'content-type': 'application/octet-stream' };
		const patience = createPatience(stallMs);
		const body = streamFile(path, { start: 0, end: size }, patience.renew);
		try {
			const response = await request('PUT', key, { body, headers, signal: patience.signal });
			if (!response.ok) throw await rejected(response, 'PUT');
			await response.body?.cancel();
		} finally {
			patience.end();
		}
	}

	/** Resolves with the headers; the patience is for those who read on. */
	async function download(key: string, range?: ByteRange) {
		const patience = createPatience(stallMs);
		try {
			const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end - 1}` } : {};
			return { response: await request('GET', key, { headers, signal: patience.signal }), patience };
		} finally {
			patience.end();
		}
	}

	/** For the short requests of the client, which cannot be ended. */
	async function inTime<T>(asked: Promise<T>): Promise<T> {
		const patience = createPatience(stallMs);
		const { promise, reject } = Promise.withResolvers<never>();
		patience.signal.addEventListener('abort', () => reject(patience.signal.reason));
		return Promise.race([asked, promise]).finally(patience.end);
	}

	async function remove(key: string): Promise<void> {
		try {
			await inTime(client.delete(pathOf(key)));
		} catch (error) {
			if (codeOf(error) !== 'NoSuchKey') throw described(error, 'DELETE');
		}
	}

	return {
		mayBeLate: true,
		create(key = newKey()) {
			const file = incoming.create(key);
			let isFinished = false;
			return {
				key,
				write: file.write,
				async finish() {
					file.close();
					// Even if it fails: a request without a response may have been carried out.
					isFinished = true;
					await repeatedly(() => upload(key, file.path));
					file.discard();
				},
				async abort() {
					file.discard();
					if (isFinished) await remove(key);
				},
			};
		},
		async read(key, range) {
			if (!isKey(key)) throw new MissingFile(key);
			if (range && range.start >= range.end) return new ReadableStream({ start: (controller) => controller.close() });
			const { response, patience } = await repeatedly(() => download(key, range));
			if (response.status === 404 && (await isMissingKey(response))) throw new MissingFile(key);
			if (!response.ok) throw await rejected(response, 'GET');
			const bytes = Number(response.headers.get('content-length'));
			if (range && (response.status !== 206 || bytes !== range.end - range.start)) {
				await response.body?.cancel();
				throw new Error(`The file ends before byte ${range.end}.`);
			}
			return response.body ? throughout(response.body, patience) : new Blob([]).stream();
		},
		async remove(keys) {
			const left = keys.filter(isKey);
			while (left.length > 0) {
				await Promise.all(left.splice(0, REMOVALS).map((key) => repeatedly(() => remove(key))));
			}
		},
		async *list() {
			let continuationToken: string | undefined;
			do {
				const page = await inTime(client.list({ prefix: base, continuationToken })).catch((error) => {
					throw described(error, 'LIST');
				});
				for (const { key: path, size = 0, lastModified = '' } of page.contents ?? []) {
					const key = path.slice(base.length);
					if (isKey(key)) yield { key, bytes: Number(size), changedAt: Date.parse(lastModified) };
				}
				continuationToken = page.isTruncated ? page.nextContinuationToken : undefined;
			} while (continuationToken !== undefined);
		},
		tidy: async (untouchedForMs = 0) => incoming.tidy(untouchedForMs),
		async check() {
			await incoming.check();
			const name = `check-${newKey()}`;
			try {
				await inTime(client.write(pathOf(name), 'formsrv'));
				await inTime(client.delete(pathOf(name)));
			} catch (error) {
				throw described(error, 'PUT');
			}
		},
		freeBytes: incoming.freeBytes,
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
							throw described(error, 'GET');
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

	function described(error: unknown, what: string): Error {
		return new Error(`The S3 service at ${address} failed at ${what}: ${reasonOf(error)}.`);
	}

	async function rejected(response: Response, what: string): Promise<Error> {
		const [, code = ''] = /<Code>([\w.]{1,60})<\/Code>/.exec(await response.text()) ?? [];
		const sentence = `The S3 service at ${address} responded to ${what} with ${response.status} ${code}.`;
		return isPassing(response.status) ? new Error(sentence) : new FinalError(sentence);
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

/** Another attempt would have the same result. */
class FinalError extends Error {}

async function repeatedly<T>(act: () => Promise<T>): Promise<T> {
	for (let attempt = 1; ; attempt++) {
		try {
			return await act();
		} catch (error) {
			if (attempt === ATTEMPTS || error instanceof FinalError) throw error;
			await Bun.sleep(FIRST_PAUSE_MS * 2 ** attempt);
		}
	}
}

/** Not so of a bucket that is missing. */
async function isMissingKey(response: Response): Promise<boolean> {
	return !/<Code>NoSuchBucket<\/Code>/.test(await response.clone().text());
}

function codeOf(error: unknown): unknown {
	return (error as { code?: unknown } | null)?.code;
}

function reasonOf(error: unknown): string {
	const { message } = error as Error;
	return [codeOf(error), message]
		.filter((part) => typeof part === 'string' && part !== '')
		.join(', ')
		.replace(/\.$/, '');
}
