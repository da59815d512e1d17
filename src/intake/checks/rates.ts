/** The rates of the submission endpoint: of one network to a form and to all forms, and of a key. */

import type { Config } from '../../config.ts';
import { networkOf, widerNetworks } from '../../http/client-address.ts';
import { createRateLimiter, type RateLimiterOptions, type RateState } from '../../http/rate-limit.ts';
import type { FormRow } from '../../storage/tables.ts';
import { mapNames } from '../../text/map-names.ts';

interface Sender {
	form: Pick<FormRow, 'id'>;
	clientAddress: string;
}

/** The requests of scripts about a form besides submissions. */
const STATUS_QUERIES = ['challenge', 'status', 'stamp'] as const;
export type StatusQuery = (typeof STATUS_QUERIES)[number];

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
	const others = mapNames(STATUS_QUERIES, () => createRateLimiter(limits.submit, ofNetworks));
	return {
		/** Counts a submission against its sender's rates; returns that of the form. @throws AppError RATE_LIMITED */
		take({ form, clientAddress }: Sender): RateState | undefined {
			const network = networkOf(clientAddress);
			const at = now();
			const state = toForm.take(network, form.id, at);
			toAll.take(network, undefined, at);
			return state;
		},
		/** Counts a submission with a key, whatever its address. @throws AppError RATE_LIMITED */
		takeKey: (keyId: string): RateState | undefined => ofKey.take(keyId),
		/** Counts a wrong key. @throws AppError RATE_LIMITED */
		takeFailure: (clientAddress: string): void => void failures.take(networkOf(clientAddress)),
		/** Counts the use of a link in a mail to a visitor, which a mail provider may do for many. @throws AppError RATE_LIMITED */
		takeLink: (clientAddress: string): void => void links.take(networkOf(clientAddress)),
		/** Counts a request for something else, apart from submissions. @throws AppError RATE_LIMITED */
		takeOther: ({ form, clientAddress }: Sender, other: StatusQuery): RateState | undefined =>
			others[other].take(networkOf(clientAddress), form.id),
	};
}
