/** Pure: collects events for a short time, so that a flood of submissions becomes a few lines for each client. */

import type { FormEvent } from '../../events.ts';
import { encodeId } from '../../ids.ts';

/** Above this many submissions or deliveries of one form in a batch, one `change` replaces the others. */
const MAX_SINGLE = 10;

interface Collected {
	submissions: number[];
	deliveries: Map<number, string>;
	isChanged: boolean;
}

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
		add(event: FormEvent): void {
			const collected = collectedOf(event.formId);
			if (event.type === 'change') collected.isChanged = true;
			else if (event.type === 'submission') {
				if (collected.submissions.length < MAX_SINGLE) collected.submissions.push(event.submissionId);
				else collected.isChanged = true;
			} else if (collected.deliveries.size < MAX_SINGLE || collected.deliveries.has(event.deliveryId)) {
				collected.deliveries.set(event.deliveryId, event.state);
			} else collected.isChanged = true;
		},
		isEmpty: (): boolean => byForm.size === 0,
		/** Returns the collected events as server-sent events by form, and starts a new batch. */
		take(): Map<number, string> {
			const taken = byForm;
			byForm = new Map();
			return new Map([...taken].map(([formId, collected]) => [formId, toText(encodeId(formId), collected)]));
		},
	};
}

function toText(formId: string, { submissions, deliveries, isChanged }: Collected): string {
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
