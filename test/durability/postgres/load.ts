/** Submissions with a mark each, sent to both servers until told to stop; and what was said of each. */

import { until } from '../../until.ts';
import type { FormSlug, Servers } from './servers.ts';

const SENDERS = 12;
/** One of so many goes to the form that tells a webhook, and one of so many has an idempotency key. */
const TOLD_OF = 8;
const KEYED_OF = 5;
const AFTER_AN_ERROR_MS = 20;

export interface Said {
	/** By the mark of a submission. */
	acknowledged: Set<string>;
	/** Nothing was stored. */
	rejected: Set<string>;
	/** Without a response, or with one that says so. */
	unknown: Set<string>;
}

interface Submission {
	mark: string;
	slug: FormSlug;
	/** True if it has an idempotency key. */
	isKeyed: boolean;
}

export type Load = ReturnType<typeof startLoad>;

export function startLoad(servers: Servers) {
	const said: Said = { acknowledged: new Set(), rejected: new Set(), unknown: new Set() };
	/** When the newest request that each server acknowledged was sent. */
	const begunAt = Array.from({ length: servers.count }, () => 0);
	let isOver = false;
	let resting: Promise<unknown> | undefined;

	async function post(index: number, { mark, slug, isKeyed }: Submission): Promise<keyof Said> {
		const at = performance.now();
		try {
			const response = await fetch(`${servers.submitUrl(index)}/f/${slug}`, {
				method: 'POST',
				headers: {
					'Content-Type': 'application/json',
					Accept: 'application/json',
					...(isKeyed && { 'Idempotency-Key': mark }),
				},
				body: JSON.stringify({ mark, [`field ${mark.length}`]: 'x'.repeat((mark.charCodeAt(1) * 97) % 500) }),
			});
			await response.arrayBuffer();
			if (response.status === 200) {
				begunAt[index] = Math.max(begunAt[index] ?? 0, at);
				return 'acknowledged';
			}
			return response.status === 503 ? 'rejected' : 'unknown';
		} catch {
			return 'unknown';
		}
	}

	/** Asks the servers in turns, until both say that it is stored. */
	async function postToBoth(index: number, submission: Submission): Promise<keyof Said> {
		let outcome = await post(index, submission);
		for (let asked = index + 1; !isOver; asked++) {
			const again = await post(asked % servers.count, submission);
			if (again === 'acknowledged' && outcome === 'acknowledged') break;
			// A rejection does not settle an outcome that was unknown before.
			if (outcome === 'rejected' || again === 'acknowledged') outcome = again;
			if (again !== 'acknowledged') await Bun.sleep(AFTER_AN_ERROR_MS);
		}
		return outcome;
	}

	async function send(sender: number): Promise<void> {
		for (let n = 0; !isOver; n++) {
			await resting;
			const mark = `m${sender}-${n}-`;
			const isKeyed = n % KEYED_OF === 0;
			const submission = { mark, slug: n % TOLD_OF === 0 ? 'told' : 'plain', isKeyed } as const;
			const outcome = await (isKeyed ? postToBoth : post)((sender + n) % servers.count, submission);
			said[outcome].add(mark);
			if (outcome !== 'acknowledged') await Bun.sleep(AFTER_AN_ERROR_MS);
		}
	}

	const senders = Array.from({ length: SENDERS }, (_, sender) => send(sender));

	return {
		said,
		/** Sends nothing new meanwhile. */
		async restDuring(rest: () => Promise<unknown>): Promise<void> {
			resting = rest();
			await resting;
			resting = undefined;
		},
		/** Waits for so many more to be acknowledged. */
		async goOn(count: number): Promise<void> {
			const end = said.acknowledged.size + count;
			await until(() => said.acknowledged.size >= end, { withinMs: 50_000, everyMs: 5 });
		},
		/** Waits until each server acknowledged something that was sent after a moment. */
		async writesAgain(since: number): Promise<void> {
			await until(() => begunAt.every((at) => at >= since), { withinMs: 50_000, everyMs: 5 });
		},
		async stop(): Promise<void> {
			isOver = true;
			await Promise.all(senders);
		},
	};
}
