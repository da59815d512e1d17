/** The built-in captcha: a proof of work that the ALTCHA widget solves, without a third party. */

import { membersIn } from '../../text/members-in.ts';

/** A challenge of ALTCHA's first protocol, which every version of the widget supports. */
export interface AltchaChallenge {
	algorithm: 'SHA-256';
	challenge: string;
	maxnumber: number;
	salt: string;
	signature: string;
}

export interface AltchaOptions {
	/** Signs challenges; loaded on first use. */
	secret: () => Promise<string>;
	/** Marks a challenge as used until it expires (milliseconds since 1970); `false` if it was used already. */
	consume: (challenge: string, expiresAt: number) => Promise<boolean>;
	/** Work: half of this many hashes on average. */
	maxNumber?: number;
	now?: () => number;
}

type Solution = Pick<AltchaChallenge, 'salt' | 'signature'> & { number: number };

/** Chromium on two desktop cores takes 0.2 to 0.8 seconds (measured); a phone two or three times that. */
const MAX_NUMBER = 100_000;
const LIFETIME_SECONDS = 600;
const MAX_TOKEN_LENGTH = 2048;

/**
 * The format of our salts. The final `&` separates the salt from the number that is hashed with it: otherwise digits
 * could be moved from the number to the expiry.
 */
const SALT = /^[0-9a-f]{24}\?form=([0-9a-z]+)&expires=(\d{10,12})&$/;
const HEX_SHA256 = /^[0-9a-f]{64}$/;

export type Altcha = ReturnType<typeof createAltcha>;

export function createAltcha({ secret, consume, maxNumber = MAX_NUMBER, now = Date.now }: AltchaOptions) {
	const sign = async (challenge: string) =>
		new Bun.CryptoHasher('sha256', await secret()).update(challenge).digest('hex');

	return {
		/** A new challenge, valid for ten minutes and one submission to the form with this public id. */
		async challenge(formId: string): Promise<AltchaChallenge> {
			const expires = Math.floor(now() / 1000) + LIFETIME_SECONDS;
			const salt = `${crypto.getRandomValues(new Uint8Array(12)).toHex()}?form=${formId}&expires=${expires}&`;
			const challenge = hash(salt, randomUpTo(maxNumber));
			return { algorithm: 'SHA-256', challenge, maxnumber: maxNumber, salt, signature: await sign(challenge) };
		},
		/** Returns whether a token is the first valid solution of an unexpired challenge of that form. */
		async verify(token: string, formId: string): Promise<boolean> {
			const solution = readSolution(token);
			const [, form, expires] = (solution && SALT.exec(solution.salt)) ?? [];
			if (!solution || form !== formId) return false;
			const expiresAt = Number(expires) * 1000;
			// An expiry further ahead comes from a clock that was set back.
			if (expiresAt <= now() || expiresAt > now() + LIFETIME_SECONDS * 1000) return false;
			const challenge = hash(solution.salt, solution.number);
			if (!isSame(solution.signature, await sign(challenge))) return false;
			return consume(challenge, expiresAt);
		},
	};
}

/** Decodes the widget's token, base64 of JSON. Its other members are ignored: they are computed again. */
function readSolution(token: string): Solution | undefined {
	if (token.length > MAX_TOKEN_LENGTH) return undefined;
	const { salt, number, signature } = membersIn(Buffer.from(token, 'base64').toString('utf8'));
	const isWellFormed =
		typeof salt === 'string' &&
		typeof number === 'number' &&
		Number.isSafeInteger(number) &&
		number >= 0 &&
		typeof signature === 'string' &&
		HEX_SHA256.test(signature);
	return isWellFormed ? { salt, number, signature } : undefined;
}

function hash(salt: string, number: number): string {
	return new Bun.CryptoHasher('sha256').update(`${salt}${number}`).digest('hex');
}

/** The modulo bias is negligible, because `max` is small compared with 2³². */
function randomUpTo(max: number): number {
	const [drawn = 0] = crypto.getRandomValues(new Uint32Array(1));
	return drawn % (max + 1);
}

function isSame(a: string, b: string): boolean {
	return crypto.timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
