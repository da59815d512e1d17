/** Senders that are servers: they show a key with the permission to submit. */

import { AppError } from '../errors.ts';
import type { RateState } from '../http/rate-limit.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { encodeId } from '../ids.ts';
import type { Keys } from '../keys/keys.ts';
import { authorize, callerOf } from '../keys/permissions.ts';
import { bearerToken, isMeantAsKey } from '../keys/token.ts';
import type { FormRow } from '../storage/tables.ts';
import type { IntakeRates } from './rates.ts';

/** The key of a request; `undefined` also for what a proxy or a browser sends by itself, which is none of ours. */
export function keyOf({ headers }: Request): string | undefined {
	const header = headers.get('authorization');
	const token = header === null ? undefined : bearerToken(header);
	return token !== undefined && isMeantAsKey(token) ? token : undefined;
}

export type Senders = ReturnType<typeof createSenders>;

export function createSenders(keys: Keys, rates: IntakeRates) {
	return {
		/**
		 * Lets a key submit to a form, and counts that.
		 * @throws AppError UNAUTHORIZED, FORBIDDEN, RATE_LIMITED
		 */
		async admit(token: string, { form, info }: { form: FormRow; info: RequestInfo }): Promise<RateState | undefined> {
			const principal = await keys.authenticate(token).catch((error: unknown) => {
				if (error instanceof AppError && error.code === 'UNAUTHORIZED') rates.takeFailure(info.clientAddress);
				throw error;
			});
			info.caller = principal;
			authorize(principal, { permission: 'submit', form: 'id' }, { id: encodeId(form.id) });
			if (principal.mode !== form.mode) {
				throw new AppError('FORBIDDEN', `This is a ${principal.mode} key, and the form is a ${form.mode} form.`);
			}
			return rates.takeKey(callerOf(principal));
		},
	};
}
