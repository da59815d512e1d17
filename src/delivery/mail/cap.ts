/** The hourly mail cap of each form: a flood of submissions must not become a flood of mail. */

import { HOUR_MS } from '../../tasks/durations.ts';

export function createMailCap(perHour: number) {
	const sentAt = new Map<number, number[]>();

	/** The times of the last hour. A time in the future comes from a clock that was set back, and would count too long. */
	function recent(formId: number, now: number): number[] {
		const times = (sentAt.get(formId) ?? []).filter((time) => time > now - HOUR_MS && time <= now);
		if (times.length > 0) sentAt.set(formId, times);
		else sentAt.delete(formId);
		return times;
	}

	return {
		/** Counts a mail that was sent. */
		count(formId: number, at: number): void {
			const times = sentAt.get(formId);
			if (times) times.push(at);
			else sentAt.set(formId, [at]);
		},
		/** How many more may go now. */
		left: (formId: number, now: number): number => Math.max(0, perHour - recent(formId, now).length),
		/** When the next one may go, in milliseconds since 1970. */
		freeAt(formId: number, now: number): number {
			const blocking = recent(formId, now).at(-perHour);
			return blocking === undefined ? now : blocking + HOUR_MS;
		},
	};
}
