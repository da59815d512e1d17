/** Requests to an S3 service, signed in their address by AWS Signature Version 4; the body is not part of the signature. */

import { createHash, createHmac } from 'node:crypto';
import type { S3Place } from '../config/file-place.ts';
import { ask, type BoundedRequest, type BoundedResponse, open, readBeginning } from '../network/bounded-response.ts';

interface S3Request extends BoundedRequest {
	method: 'GET' | 'PUT' | 'DELETE';
	/** Path of the object; the bucket itself if left out. */
	path?: string;
	query?: Record<string, string>;
}

/** A failure that another attempt would have as well. */
export class FinalError extends Error {}

const SECONDS = 15 * 60;
/** A page of a listing has up to 1,000 objects, with names of up to 1 KiB. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024;

export function createS3(place: S3Place, now = () => new Date()) {
	const { bucket, region, endpoint } = place;
	const address = endpoint ?? `https://s3.${region}.amazonaws.com`;

	function sign({ method, path, query = {} }: S3Request): URL {
		// They may change.
		const { accessKeyId, secretAccessKey, sessionToken } = place;
		const time = now()
			.toISOString()
			.replace(/[-:]|\.\d+/g, '');
		const scope = [time.slice(0, 8), region, 's3', 'aws4_request'];
		const url = new URL(address);
		url.pathname += `${url.pathname.endsWith('/') ? '' : '/'}${[bucket, ...(path?.split('/') ?? [])].map(escaped).join('/')}`;
		const parameters = {
			...query,
			'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
			'X-Amz-Credential': [accessKeyId, ...scope].join('/'),
			'X-Amz-Date': time,
			'X-Amz-Expires': String(SECONDS),
			...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
			'X-Amz-SignedHeaders': 'host',
		};
		const pairs = Object.entries(parameters).map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
		const search = pairs.sort().join('&');
		const request = [method, url.pathname, search, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n');
		const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), createHash('sha256').update(request).digest('hex')];
		const key = scope.reduce<string | Buffer>((with_, part) => hmac(with_, part).digest(), `AWS4${secretAccessKey}`);
		url.search = `${search}&X-Amz-Signature=${hmac(key, text.join('\n')).digest('hex')}`;
		return url;
	}

	/** Without the signed address, which is a credential that must not get into the log. */
	function described(error: unknown, what: string): Error {
		const { code, message } = error as Error & { code?: unknown };
		const failed = typeof code === 'string' ? `cannot be reached: ${code}, ` : `failed at ${what}: `;
		// The code is not repeated, and what the runtime advises programmers to do is left out.
		const reason = message.replace(/^E[A-Z]+: |\bfetching\b.*|\bFor more information\b.*|\S+:\/\/.*/gs, '');
		return new Error(`The S3 service at ${address} ${failed}${reason.trim().replace(/\.$/, '')}.`);
	}

	function rejection({ status, text }: BoundedResponse, what: string): Error {
		const [, code = ''] = /<Code>([\w.]{1,60})<\/Code>/.exec(text) ?? [];
		const sentence = `The S3 service at ${address} responded to ${what} with ${`${status} ${code}`.trimEnd()}.`;
		return isPassing(status) ? new Error(sentence) : new FinalError(sentence);
	}

	/** A missing object is a response as well. */
	async function askSigned(request: S3Request, what: string): Promise<BoundedResponse> {
		const response = await ask(sign(request), { ...request, maxBytes: MAX_PAGE_BYTES }).catch((error) => {
			throw described(error, what);
		});
		const isFine = (response.status >= 200 && response.status <= 299) || isMissingKey(response);
		if (!isFine) throw rejection(response, what);
		return response;
	}

	return {
		described,
		/** The text of the response; `undefined` if there is no such object. @throws Error with a sentence */
		async ask(request: S3Request, what: string = request.method): Promise<string | undefined> {
			const response = await askSigned(request, what);
			return isMissingKey(response) ? undefined : response.text;
		},
		/** @throws Error with a sentence */
		async put(request: Omit<S3Request, 'method'>): Promise<void> {
			const response = await askSigned({ ...request, method: 'PUT' }, 'PUT');
			if (isMissingKey(response)) throw rejection(response, 'PUT');
		},
		/** The response as it comes; `undefined` if there is no such object. @throws Error with a sentence */
		async open(request: S3Request): Promise<Response | undefined> {
			const failed = (error: unknown) => {
				throw described(error, request.method);
			};
			const response = await open(sign(request), request).catch(failed);
			if (response.ok) return response;
			const refused = { status: response.status, text: await readBeginning(response).catch(failed) };
			if (isMissingKey(refused)) return undefined;
			throw rejection(refused, request.method);
		},
	};
}

/** Responses that another attempt may change. */
const isPassing = (status: number) => status >= 500 || status === 429 || status === 408;

/** A 404 that does not say so is of a missing bucket, a proxy or another program. */
const isMissingKey = ({ status, text }: BoundedResponse) => status === 404 && text.includes('<Code>NoSuchKey</Code>');

function escaped(text: string): string {
	return encodeURIComponent(text).replace(
		/[!'()*]/g,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}

function hmac(key: string | Buffer, text: string) {
	return createHmac('sha256', key).update(text);
}
