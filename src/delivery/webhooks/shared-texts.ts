/** The texts of submissions in flight: each is read once for all concurrent deliveries, within the budget. */

import type { Storage } from '../../storage/contract.ts';
import type { SubmissionHead } from '../../storage/submission.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';

export interface SharedText {
	/** In UTF-8; `undefined` if the submission was removed, or after the release. */
	readonly bytes: Uint8Array | undefined;
	/** Call this when the text is no longer needed; idempotent. */
	release(): void;
}

interface Shared {
	users: number;
	bytes?: Uint8Array | undefined;
	ready: Promise<void>;
	/** Returns the bytes to the budget. */
	forget: (bytes?: number) => void;
}

/** The engine's copy during the read, and ours. */
const COPIES = 2;

export function createSharedTexts({ submissions }: Pick<Storage, 'submissions'>, budget: Pick<ByteBudget, 'take'>) {
	const inUse = new Map<number, Shared>();

	async function fill(shared: Shared, submission: SubmissionHead, signal: AbortSignal): Promise<void> {
		shared.forget = await budget.take(COPIES * submission.bytes, signal);
		shared.bytes = await submissions.text(submission);
		shared.forget((COPIES - 1) * submission.bytes);
	}

	function begin(submission: SubmissionHead, signal: AbortSignal): Shared {
		const shared: Shared = { users: 0, ready: Promise.resolve(), forget: () => {} };
		shared.ready = fill(shared, submission, signal);
		inUse.set(submission.id, shared);
		return shared;
	}

	return {
		/** Waits until the budget has room for the text. @throws the reason of `signal` */
		async use(submission: SubmissionHead, signal: AbortSignal): Promise<SharedText> {
			const shared = inUse.get(submission.id) ?? begin(submission, signal);
			shared.users++;
			let isInUse = true;
			function release(): void {
				if (!isInUse) return;
				isInUse = false;
				shared.users--;
				if (shared.users > 0) return;
				inUse.delete(submission.id);
				// A delivery that waits for its response still references `shared`, and must not keep the bytes alive.
				shared.bytes = undefined;
				shared.forget();
			}
			await shared.ready.catch((error) => {
				release();
				throw error;
			});
			return {
				get bytes() {
					return shared.bytes;
				},
				release,
			};
		},
	};
}
