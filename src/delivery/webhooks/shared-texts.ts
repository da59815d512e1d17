/** The texts of submissions in flight: each is read once for all concurrent deliveries, within the budget. */

import type { Storage } from '../../storage/contract.ts';
import type { SubmissionHead } from '../../storage/submission.ts';
import type { ByteBudget, Release } from '../../tasks/byte-budget.ts';

/** A text in use. */
export interface SharedText {
	/** In UTF-8; `undefined` if the submission was removed, or after the release. */
	readonly bytes: Uint8Array | undefined;
	/** Call this when the text is no longer needed; idempotent. */
	release(): void;
}

interface Shared {
	users: number;
	bytes: Uint8Array | undefined;
	release: Release;
	ready: Promise<void>;
}

/** The engine's copy during the read, and ours. */
const COPIES = 2;

export type SharedTexts = ReturnType<typeof createSharedTexts>;

export function createSharedTexts({ submissions }: Pick<Storage, 'submissions'>, budget: Pick<ByteBudget, 'take'>) {
	const inUse = new Map<number, Shared>();

	async function fill(shared: Shared, submission: SubmissionHead, signal: AbortSignal): Promise<void> {
		shared.release = await budget.take(COPIES * submission.bytes, signal);
		shared.bytes = await submissions.text(submission);
		shared.release((COPIES - 1) * submission.bytes);
	}

	function leave(id: number, shared: Shared): void {
		shared.users--;
		if (shared.users > 0) return;
		inUse.delete(id);
		// A delivery that waits for its response still references `shared`, and must not keep the bytes alive.
		shared.bytes = undefined;
		shared.release();
	}

	return {
		/** Waits until the budget has room for the text. @throws the reason of `signal` */
		async use(submission: SubmissionHead, signal: AbortSignal): Promise<SharedText> {
			let shared = inUse.get(submission.id);
			if (!shared) {
				shared = { users: 0, bytes: undefined, release: () => {}, ready: Promise.resolve() };
				shared.ready = fill(shared, submission, signal);
				inUse.set(submission.id, shared);
			}
			const mine = shared;
			mine.users++;
			let isInUse = true;
			const release = () => {
				if (isInUse) leave(submission.id, mine);
				isInUse = false;
			};
			try {
				await mine.ready;
			} catch (error) {
				release();
				throw error;
			}
			return {
				get bytes() {
					return mine.bytes;
				},
				release,
			};
		},
	};
}
