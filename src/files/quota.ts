/** How many bytes of files may be kept, in all and of one form. */

import type { Storage } from '../storage/contract.ts';

interface QuotaLimits {
	quota: number;
	formQuota: number;
}

/** Another process may have stored or removed files. */
const FRESH_MS = 1000;

interface Stored {
	inAll: number;
	byForm: Map<number, number>;
	readAt: number;
}

/** The bytes of files that are arriving for one submission. */
export interface QuotaHold {
	/** Takes as many more if there is room, and returns whether there was. A promise only if the database has to be asked. */
	take(bytes: number): boolean | Promise<boolean>;
	/** The bytes are stored, or gone. */
	release(): void;
}

export type FileQuota = ReturnType<typeof createFileQuota>;

export function createFileQuota(storage: Storage, { quota, formQuota }: QuotaLimits) {
	/** Arriving. */
	let heldInAll = 0;
	const heldByForm = new Map<number, number>();
	let stored: Stored | undefined;
	/** Questions to the database that have no answer yet. */
	const reading = new Set<Promise<Stored>>();

	function read(formId: number): Promise<Stored> {
		const asked = ask(formId).finally(() => reading.delete(asked));
		reading.add(asked);
		return asked;
	}

	async function ask(formId: number): Promise<Stored> {
		const [inAll, ofForm] = await Promise.all([storage.submissions.fileBytes(), storage.submissions.fileBytes(formId)]);
		stored = { inAll, byForm: new Map([...(known()?.byForm ?? []), [formId, ofForm]]), readAt: performance.now() };
		return stored;
	}

	function known(): Stored | undefined {
		return stored && performance.now() - stored.readAt <= FRESH_MS ? stored : undefined;
	}

	function hold(formId: number, bytes: number): void {
		heldInAll += bytes;
		const held = (heldByForm.get(formId) ?? 0) + bytes;
		if (held > 0) heldByForm.set(formId, held);
		else heldByForm.delete(formId);
	}

	return {
		open(formId: number): QuotaHold {
			let held = 0;

			function takeOf({ inAll, byForm }: Stored, bytes: number): boolean {
				const ofForm = byForm.get(formId) ?? 0;
				if (inAll + heldInAll + bytes > quota) return false;
				if (ofForm + (heldByForm.get(formId) ?? 0) + bytes > formQuota) return false;
				held += bytes;
				hold(formId, bytes);
				return true;
			}

			/** Bytes that are stored and not released yet count twice in an answer: only one that was asked for later rejects. */
			async function askTwice(bytes: number): Promise<boolean> {
				if (takeOf(await read(formId), bytes)) return true;
				await Promise.allSettled(reading);
				return takeOf(await read(formId), bytes);
			}

			return {
				take(bytes) {
					const fresh = known();
					return fresh?.byForm.has(formId) && takeOf(fresh, bytes) ? true : askTwice(bytes);
				},
				release() {
					const bytes = held;
					held = 0;
					const forget = () => {
						hold(formId, -bytes);
						stored = undefined;
					};
					// An answer that was asked for before these bytes were stored does not count them yet.
					if (reading.size === 0) forget();
					else void Promise.allSettled(reading).then(forget);
				},
			};
		},
	};
}
