/** How many bytes of files may be kept, in all and of one form. */

import type { Storage } from '../storage/storage.ts';

export interface QuotaLimits {
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
	/** Resolves to whether there is room for as many more; then they are held. */
	take(bytes: number): Promise<boolean>;
	/** The bytes are stored, or gone. */
	release(): void;
}

export type FileQuota = ReturnType<typeof createFileQuota>;

export function createFileQuota(
	storage: Storage,
	{ quota, formQuota }: QuotaLimits,
	elapsed = () => performance.now(),
) {
	/** Arriving. */
	let heldInAll = 0;
	const heldByForm = new Map<number, number>();
	let stored: Stored | undefined;

	async function storedBytes(formId: number): Promise<{ inAll: number; ofForm: number }> {
		if (!stored || elapsed() - stored.readAt > FRESH_MS) {
			stored = { inAll: await storage.submissions.fileBytes(), byForm: new Map(), readAt: elapsed() };
		}
		const { inAll, byForm } = stored;
		const ofForm = byForm.get(formId) ?? (await storage.submissions.fileBytes(formId));
		byForm.set(formId, ofForm);
		return { inAll, ofForm };
	}

	function hold(formId: number, bytes: number): void {
		heldInAll += bytes;
		const held = (heldByForm.get(formId) ?? 0) + bytes;
		if (held > 0) heldByForm.set(formId, held);
		else heldByForm.delete(formId);
	}

	return {
		/** Of one form. */
		formQuota,
		open(formId: number): QuotaHold {
			let held = 0;
			return {
				async take(bytes) {
					const { inAll, ofForm } = await storedBytes(formId);
					if (inAll + heldInAll + bytes > quota) return false;
					if (ofForm + (heldByForm.get(formId) ?? 0) + bytes > formQuota) return false;
					held += bytes;
					hold(formId, bytes);
					return true;
				},
				release() {
					hold(formId, -held);
					held = 0;
					stored = undefined;
				},
			};
		},
	};
}
