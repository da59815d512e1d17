/** The rule for haste: a signed stamp says when the form was loaded. */

import { encodeId } from '../../ids.ts';
import { DAY_MS } from '../../tasks/durations.ts';
import type { SpamReason } from '../verdict.ts';

const LIFETIME_MS = DAY_MS;
const STAMP = /^([0-9a-z]{8,9})\.([\w-]{22})$/;
/** Sent within so many milliseconds: points. */
const HASTE = [
	[2000, 2],
	[4000, 1],
] as const;

interface StampOptions {
	/** Signs stamps; loaded on first use. */
	secret: () => Promise<string>;
	now?: () => number;
}

export type LoadTimeTokens = ReturnType<typeof createLoadTimeTokens>;

export function createLoadTimeTokens({ secret, now = Date.now }: StampOptions) {
	let key: string | undefined;
	const load = async () => {
		key ??= await secret();
		return key;
	};

	const sign = (time: string, formId: number, signing: string) =>
		new Bun.CryptoHasher('sha256', signing)
			.update(`${time}.${encodeId(formId)}`)
			.digest('base64url')
			.slice(0, 22);

	return {
		/** A stamp of this moment for a form, with nothing else in it. */
		async make(formId: number): Promise<string> {
			const time = now().toString(36);
			return `${time}.${sign(time, formId, await load())}`;
		},
		/** A stamp that is absent, of another form, wrong or a day old says nothing. */
		judge(stamp: string | undefined, formId: number): SpamReason | null {
			if (stamp === undefined) return null;
			if (key === undefined) {
				// The first one after a start: no submission waits for the secret.
				void load().catch(() => {});
				return null;
			}
			const [, time = '', signature] = STAMP.exec(stamp) ?? [];
			if (signature === undefined || signature !== sign(time, formId, key)) return null;
			const took = now() - Number.parseInt(time, 36);
			if (took < 0 || took > LIFETIME_MS) return null;
			const points = HASTE.find(([within]) => took < within)?.[1];
			if (points === undefined) return null;
			return { rule: 'haste', points, detail: `Filled in and sent within ${(took / 1000).toFixed(1)} seconds` };
		},
	};
}
