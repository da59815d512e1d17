/** Pure: parses the query parameters of the list of deliveries, strictly. */

import { oneOf, parsePage } from '../http/query-parameters.ts';
import { CHANNELS, type Channel, DELIVERY_STATES, type DeliveryState } from '../storage/tables.ts';

export interface DeliveryQuery {
	state?: DeliveryState;
	channel?: Channel;
	limit: number;
	offset: number;
}

/** @throws AppError VALIDATION_ERROR naming the parameter */
export function parseDeliveryQuery(params: URLSearchParams): DeliveryQuery {
	return {
		state: oneOf(params, 'state', { values: DELIVERY_STATES }),
		channel: oneOf(params, 'channel', { values: CHANNELS }),
		...parsePage(params),
	};
}
