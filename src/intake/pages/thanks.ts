/** The address of the thank-you page that names the files a submission was stored without. */

import { eq } from 'drizzle-orm';
import { type Dropped, parseDropped } from '../../form-values/dropped-files.ts';
import { decodeId, encodeId } from '../../ids.ts';
import type { Storage } from '../../storage/contract.ts';
import { createSigner } from '../../storage/server-secret.ts';
import { submissions } from '../../storage/tables.ts';
import { HOUR_MS } from '../../tasks/durations.ts';

export type Thanks = ReturnType<typeof createThanks>;

export function createThanks(storage: Pick<Storage, 'batch' | 'db' | 'clock'>, now: () => number = Date.now) {
	const { sign, isSigned } = createSigner(storage, 'thanks_secret');
	const signedFor = (id: string) => `thanks for ${id}`;

	return {
		/** The query holds no names, which would stand in histories and logs. Empty if the database cannot be reached: the submission is stored. */
		async query(submissionId: number): Promise<string> {
			const id = encodeId(submissionId);
			const signature = await sign(signedFor(id)).catch(() => undefined);
			return signature === undefined ? '' : `?${new URLSearchParams({ for: id, signature })}`;
		},
		/** Nothing if the address was not made here, is an hour old, or its submission is gone. */
		async dropped(params: URLSearchParams): Promise<Dropped> {
			const id = decodeId(params.get('for') ?? '');
			if (id === undefined || storage.clock.timeline().millisOf(id) + HOUR_MS < now()) return {};
			if (!(await isSigned(signedFor(encodeId(id)), params.get('signature') ?? ''))) return {};
			const [row] = await storage.db.select({ meta: submissions.meta }).from(submissions).where(eq(submissions.id, id));
			return parseDropped(row?.meta);
		},
	};
}
