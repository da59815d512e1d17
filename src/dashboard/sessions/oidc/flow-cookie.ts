/** The cookie that keeps what a browser began at the provider until it comes back: readable by the server alone, and short-lived. */

import { MINUTE_MS } from '../../../tasks/durations.ts';
import { createCookie } from '../cookie.ts';

const LIFETIME_MS = 10 * MINUTE_MS;
const IV_BYTES = 12;
/** A real one has less than half. */
const MAX_LENGTH = 1000;

/** Values, as base64url, that the response of the provider must fit. */
export interface Flow {
	state: string;
	nonce: string;
	verifier: string;
}

interface Options {
	baseUrl: string;
	/** 64 hexadecimal characters, the same in all servers on one database. */
	secret: () => Promise<string>;
	now: () => number;
}

export function createFlowCookie({ baseUrl, secret, now }: Options) {
	// Lax, because the browser comes from the page of the provider.
	const cookie = createCookie(baseUrl, { suffix: '-oidc', sameSite: 'Lax', lifetimeMs: LIFETIME_MS });

	async function importKey(): Promise<CryptoKey> {
		const bytes = Uint8Array.fromHex(await secret());
		return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
	}

	return {
		/** The flow of a `Cookie` header; `undefined` if it has none that this server made within the lifetime. */
		async read(header: string | null): Promise<Flow | undefined> {
			const value = cookie.read(header);
			if (value === undefined || value.length > MAX_LENGTH) return undefined;
			const text = await decrypt(value, await importKey());
			const [end, state, nonce, verifier] = text?.split('.') ?? [];
			if (!state || !nonce || !verifier) return undefined;
			// One that ends later than it could is from before the clock was set back.
			const leftMs = Number(end) - now();
			return leftMs > 0 && leftMs <= LIFETIME_MS ? { state, nonce, verifier } : undefined;
		},
		/** The value of a `Set-Cookie` header. */
		async write({ state, nonce, verifier }: Flow): Promise<string> {
			const text = [now() + LIFETIME_MS, state, nonce, verifier].join('.');
			return cookie.write(await encrypt(text, await importKey()));
		},
		clear: cookie.clear,
	};
}

async function encrypt(text: string, key: CryptoKey): Promise<string> {
	const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
	const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode(text));
	return Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64url');
}

async function decrypt(value: string, key: CryptoKey): Promise<string | undefined> {
	const bytes = new Uint8Array(Buffer.from(value, 'base64url'));
	const iv = bytes.subarray(0, IV_BYTES);
	try {
		const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, bytes.subarray(IV_BYTES));
		return new TextDecoder().decode(text);
	} catch {
		return undefined;
	}
}
