/** How many mails a form may still send within the hour, so that a flood of submissions is not a flood of mail. */

const HOUR_MS = 3_600_000;

export type MailCap = ReturnType<typeof createMailCap>;

export function createMailCap(perHour: number) {
	const sentAt = new Map<number, number[]>();

	/** The moments that still count. One that lies ahead is of a clock that was set back: it would count for too long. */
	function recent(formId: number, now: number): number[] {
		const moments = (sentAt.get(formId) ?? []).filter((moment) => moment > now - HOUR_MS && moment <= now);
		if (moments.length > 0) sentAt.set(formId, moments);
		else sentAt.delete(formId);
		return moments;
	}

	return {
		/** Counts a mail that was sent. */
		count(formId: number, at: number): void {
			const moments = sentAt.get(formId);
			if (moments) moments.push(at);
			else sentAt.set(formId, [at]);
		},
		/** How many more may go now. */
		left: (formId: number, now: number): number => Math.max(0, perHour - recent(formId, now).length),
		/** When the next one may go, in milliseconds since 1970. */
		freeAt(formId: number, now: number): number {
			const moments = recent(formId, now);
			const blocking = moments.at(-perHour);
			return blocking === undefined ? now : blocking + HOUR_MS;
		},
	};
}
