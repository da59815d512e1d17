import { expect, test } from 'bun:test';
import { createEventBatch } from '../../../src/dashboard/events/batch.ts';
import { encodeId } from '../../../src/ids.ts';

test('returns submissions and the latest state of deliveries by form, and starts again', () => {
	const batch = createEventBatch();
	expect(batch.isEmpty()).toBe(true);
	batch.add({ type: 'submission', formId: 1, submissionId: 100 });
	batch.add({ type: 'delivery', formId: 1, deliveryId: 7, state: 'sending' });
	batch.add({ type: 'delivery', formId: 1, deliveryId: 7, state: 'sent' });
	batch.add({ type: 'change', formId: 2 });
	batch.add({ type: 'change', formId: 2 });
	expect([...batch.take()]).toEqual([
		[
			1,
			`event: submission\ndata: {"formId":"1","submissionId":"${encodeId(100)}"}\n\n` +
				'event: delivery\ndata: {"formId":"1","id":"7","state":"sent"}\n\n',
		],
		[2, 'event: change\ndata: {"formId":"2"}\n\n'],
	]);
	expect(batch.take().size).toBe(0);
});

test('makes one change of a flood', () => {
	const batch = createEventBatch();
	for (let i = 0; i < 5000; i++) batch.add({ type: 'submission', formId: 1, submissionId: i });
	const text = batch.take().get(1) ?? '';
	expect(text.match(/event: submission/g)).toHaveLength(10);
	expect(text.match(/event: change/g)).toHaveLength(1);
});

test('makes one change of a flood of deliveries, and keeps updating those already in it', () => {
	const batch = createEventBatch();
	for (let i = 1; i <= 11; i++) batch.add({ type: 'delivery', formId: 1, deliveryId: i, state: 'sending' });
	for (let i = 1; i <= 5000; i++) batch.add({ type: 'delivery', formId: 1, deliveryId: i, state: 'sent' });
	const text = batch.take().get(1) ?? '';
	expect(text.match(/event: delivery\ndata: .*"state":"sent"/g)).toHaveLength(10);
	expect(text.match(/event: change/g)).toHaveLength(1);
	for (let i = 1; i <= 10; i++) batch.add({ type: 'delivery', formId: 1, deliveryId: i, state: 'sent' });
	expect(batch.take().get(1)).not.toContain('event: change');
});
