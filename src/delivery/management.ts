/** Actions of owners on deliveries: see and retry them, release withheld ones, and have a test mail sent. */

import type { Storage } from '../storage/contract.ts';
import { createDeliveries } from './deliveries.ts';
import type { Dispatch } from './dispatch.ts';
import { createRetries } from './retries.ts';

export type DeliveryManagement = ReturnType<typeof manageDeliveries>;

export function manageDeliveries(storage: Storage, dispatch: Dispatch, now: () => number = Date.now) {
	const { mail, channels, mailOutage, onDue } = dispatch;
	return {
		...dispatch,
		deliveries: createDeliveries(storage, { channels, isMailSet: mail.server !== null, mailOutage }),
		retries: createRetries(storage, { onDue, now }),
		/** As the function of `test-mail.ts`, loaded on demand with the mail library. */
		async sendTestMail(to: string): Promise<string> {
			const { sendTestMail } = await import('./mail/test-mail.ts');
			return sendTestMail(to, { ...mail, now });
		},
	};
}
