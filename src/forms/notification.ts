/** Pure: `notification` and `notificationEmail`, which is its `to`: stored once, set and read as both. */

import { AppError, invalidField } from '../errors.ts';
import { ADDRESSES_MAX, DEFAULT_NOTIFICATION, type Notification } from '../form-values/notification-rules.ts';
import { parseMailboxes } from '../text/email-address.ts';
import type { FormSettings } from './settings.ts';

type Pair = Pick<FormSettings, 'notificationEmail' | 'notification'>;

/**
 * The pair as it is stored, of what was sent, in the shape that the checks give it: `notification` without its `to`.
 * @throws AppError VALIDATION_ERROR if both are sent and differ, or if there are too many addresses
 */
export function storedNotification(sent: Partial<Pair>, before: Pair): Partial<Pair> {
	const { to, ...rules } = sent.notification ?? {
		...DEFAULT_NOTIFICATION,
		...(sent.notification === null && { to: null }),
	};
	const { notificationEmail = to } = sent;
	if (to !== undefined && notificationEmail !== to) {
		throw invalidField(
			'notification.to',
			'CONFLICT',
			'notification.to and notificationEmail are the same setting: send one of them, or both with the same addresses.',
		);
	}
	const stored: Partial<Pair> = {
		...(notificationEmail !== undefined && { notificationEmail }),
		...(sent.notification !== undefined && {
			notification: Bun.deepEquals(rules, DEFAULT_NOTIFICATION) ? null : rules,
		}),
	};
	checkNumber({ ...before, ...stored });
	return stored;
}

function checkNumber({ notificationEmail, notification }: Pair): void {
	const texts = [notificationEmail, notification?.cc, notification?.bcc].filter((text) => text);
	const all = texts.flatMap((text) => parseMailboxes(text as string, ADDRESSES_MAX) ?? []);
	if (all.length <= ADDRESSES_MAX) return;
	const message = `A notification has at most ${ADDRESSES_MAX} addresses in to, cc and bcc together.`;
	throw new AppError('VALIDATION_ERROR', message, { fields: [{ field: 'notification', code: 'TOO_MANY', message }] });
}

/** As clients read it. */
export function shownNotification({ notificationEmail: to, notification }: Pair): Notification | null {
	return to === null && notification === null ? null : { to, ...DEFAULT_NOTIFICATION, ...notification };
}
