/** The open submission of an inbox: that of the list if it is there, else read by itself; kept as the server has it. */

import { signal } from '@preact/signals';
import * as api from '../api.ts';
import type { Submission } from '../api-types.ts';

export const isGone = (cause: unknown) => cause instanceof api.ApiError && cause.status === 404;

/** @param hasActedSince Whether something was set here since then: what the server said does not know of it. */
export function createOpenSubmission(formId: string, hasActedSince: (time: number) => boolean) {
	/** `undefined` while it is loaded, too. */
	const current = signal<Submission | undefined>(undefined);
	/** Why it is not there: the address may name a submission that does not exist. */
	const failure = signal<unknown>(undefined);
	let openId: string | null = null;

	function renew(row: Submission, askedAt: number): void {
		if (row.id !== openId) return;
		if (current.value?.id !== openId || !hasActedSince(askedAt)) current.value = row;
	}

	async function read(id: string): Promise<void> {
		const askedAt = Date.now();
		try {
			renew(await api.submissions.read(formId, id), askedAt);
		} catch (cause) {
			if (openId !== id) return;
			failure.value = cause;
			if (isGone(cause)) current.value = undefined;
		}
	}

	return {
		current,
		failure,

		/** @param row That of the list, if it is there. */
		async open(id: string | null, row: Submission | undefined): Promise<void> {
			openId = id;
			if (id === null || row) {
				current.value = row;
				return;
			}
			if (current.value?.id === id) return;
			current.value = undefined;
			failure.value = undefined;
			await read(id);
		},

		/** Takes over what others have changed, from a list that was asked for at `askedAt` if it is there. */
		async follow(rows: readonly Submission[], askedAt: number): Promise<void> {
			if (openId === null) return;
			const listed = rows.find(({ id }) => id === openId);
			if (listed) renew(listed, askedAt);
			else await read(openId);
		},
	};
}
