/** Senders that show a credential: servers a key with the permission to submit, owners who test a form a token. */

import { AppError } from '../../errors.ts';
import type { RateState } from '../../http/rate-limit.ts';
import type { RequestInfo } from '../../http/request-info.ts';
import { encodeId } from '../../ids.ts';
import type { Keys } from '../../keys/keys.ts';
import { authorize, callerOf } from '../../keys/permissions.ts';
import { bearerToken, isMeantAsKey } from '../../keys/token.ts';
import type { FormRow } from '../../storage/tables.ts';
import { isTestToken, type TestTokens } from '../test-submissions/tokens.ts';
import type { IntakeRates } from './rates.ts';

/** The key of a request; `undefined` also for credentials that a proxy or a browser sends by itself. */
export function keyOf({ headers }: Request): string | undefined {
	const header = headers.get('authorization');
	const token = header === null ? undefined : bearerToken(header);
	return token !== undefined && isMeantAsKey(token) ? token : undefined;
}

export type Senders = ReturnType<typeof createSenders>;

/** The sender, for intake. */
interface Admission {
	rate: RateState | undefined;
	/** True if the owner tests the form. */
	isTest: boolean;
}

export function createSenders(keys: Keys, rates: IntakeRates, tests: Pick<TestTokens, 'take'>) {
	/** Not counted: the request that made the token was. A wrong one counts as a wrong key. */
	async function admitTest(token: string, { form, info }: { form: FormRow; info: RequestInfo }): Promise<Admission> {
		if (await tests.take(token, form.id)) return { rate: undefined, isTest: true };
		rates.takeFailure(info.clientAddress);
		throw new AppError('FORBIDDEN', 'This test token was used already, has expired, or is for another form.');
	}

	return {
		/**
		 * Lets a key or a test token submit to a form, and counts that.
		 * @throws AppError UNAUTHORIZED, FORBIDDEN, RATE_LIMITED
		 */
		async admit(token: string, { form, info }: { form: FormRow; info: RequestInfo }): Promise<Admission> {
			if (isTestToken(token)) return admitTest(token, { form, info });
			const principal = await keys.authenticate(token).catch((error: unknown) => {
				if (error instanceof AppError && error.code === 'UNAUTHORIZED') rates.takeFailure(info.clientAddress);
				throw error;
			});
			info.caller = principal;
			authorize(principal, { permission: 'submit', form: 'id' }, { id: encodeId(form.id) });
			if (principal.mode !== form.mode) {
				throw new AppError('FORBIDDEN', `This is a ${principal.mode} key, and the form is a ${form.mode} form.`);
			}
			return { rate: rates.takeKey(callerOf(principal)), isTest: false };
		},
	};
}
