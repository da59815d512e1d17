/** Pure: events collected over a moment, so that a flood of submissions becomes a few lines for each listener. */

import type { AppEvent } from '../../events.ts';
import { encodeId } from '../../ids.ts';

/** Beyond this many arrivals or deliveries of one form at once, one word about the form stands for all of them. */
const MAX_TOLD_SINGLY = 10;

interface Collected {
	submissions: number[];
	deliveries: Map<number, string>;
	isChanged: boolean;
}

export type EventBatch = ReturnType<typeof createEventBatch>;

export function createEventBatch() {
	let byForm = new Map<number, Collected>();

	function collectedOf(formId: number): Collected {
		const known = byForm.get(formId);
		if (known) return known;
		const fresh = { submissions: [], deliveries: new Map(), isChanged: false };
		byForm.set(formId, fresh);
		return fresh;
	}

	return {
		add(event: AppEvent): void {
			const collected = collectedOf(event.formId);
			if (event.type === 'change') collected.isChanged = true;
			else if (event.type === 'submission') {
				if (collected.submissions.length < MAX_TOLD_SINGLY) collected.submissions.push(event.submissionId);
				else collected.isChanged = true;
			} else if (collected.deliveries.size < MAX_TOLD_SINGLY || collected.deliveries.has(event.deliveryId)) {
				collected.deliveries.set(event.deliveryId, event.state);
			} else collected.isChanged = true;
		},
		isEmpty: (): boolean => byForm.size === 0,
		/** What was collected, as server-sent events by form; and begins anew. */
		take(): Map<number, string> {
			const taken = byForm;
			byForm = new Map();
			return new Map([...taken].map(([formId, collected]) => [formId, written(encodeId(formId), collected)]));
		},
	};
}

function written(formId: string, { submissions, deliveries, isChanged }: Collected): string {
	return [
		...submissions.map((id) => serverSentEvent('submission', { formId, submissionId: encodeId(id) })),
		...[...deliveries].map(([id, state]) => serverSentEvent('delivery', { formId, id: encodeId(id), state })),
		...(isChanged ? [serverSentEvent('change', { formId })] : []),
	].join('');
}

/** See https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
export function serverSentEvent(name: string, data: object): string {
	return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
