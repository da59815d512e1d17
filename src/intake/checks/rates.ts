/** The rates of the submission endpoint: of one network to a form and to all forms, and of a key. */

import type { Config } from '../../config.ts';
import { networkOf, widerNetworks } from '../../http/client-address.ts';
import { createRateLimiter, type RateLimiterOptions, type RateState } from '../../http/rate-limit.ts';
import type { FormRow } from '../../storage/tables.ts';

interface Sender {
	form: Pick<FormRow, 'id'>;
	clientAddress: string;
}

/** The requests of scripts about a form besides submissions. */
export type StatusQuery = 'challenge' | 'status' | 'stamp';

export type IntakeRates = ReturnType<typeof createIntakeRates>;

export function createIntakeRates(
	limits: Pick<Config['rates'], 'submit' | 'address' | 'api' | 'auth'>,
	{ windows, now = Date.now }: Pick<RateLimiterOptions, 'windows' | 'now'> = {},
) {
	const options = { windows, now } as RateLimiterOptions;
	const ofNetworks = { ...options, widen: widerNetworks };
	const toForm = createRateLimiter(limits.submit, ofNetworks);
	const toAll = createRateLimiter(limits.address, ofNetworks);
	const ofKey = createRateLimiter(limits.api, options);
	const failures = createRateLimiter(limits.auth, ofNetworks);
	const links = createRateLimiter(limits.address, ofNetworks);
	const others = {
		challenge: createRateLimiter(limits.submit, ofNetworks),
		status: createRateLimiter(limits.submit, ofNetworks),
		stamp: createRateLimiter(limits.submit, ofNetworks),
	} satisfies Record<StatusQuery, unknown>;
	return {
		/** Counts a submission against its sender's rates; returns that of the form. @throws AppError RATE_LIMITED */
		take({ form, clientAddress }: Sender): RateState | undefined {
			const network = networkOf(clientAddress);
			const at = now();
			const state = toForm.take(network, form.id, at);
			toAll.check(network, at);
			return state;
		},
		/** Counts a submission with a key, whatever its address. @throws AppError RATE_LIMITED */
		takeKey: (keyId: string): RateState | undefined => ofKey.take(keyId),
		/** Counts a wrong key. @throws AppError RATE_LIMITED */
		takeFailure: (clientAddress: string): void => failures.check(networkOf(clientAddress)),
		/** Counts the use of a link in a mail to a visitor, which a mail provider may do for many. @throws AppError RATE_LIMITED */
		takeLink: (clientAddress: string): void => links.check(networkOf(clientAddress)),
		/** Counts a request for something else, apart from submissions. @throws AppError RATE_LIMITED */
		takeOther: ({ form, clientAddress }: Sender, other: StatusQuery): RateState | undefined =>
			others[other].take(networkOf(clientAddress), form.id),
	};
}
