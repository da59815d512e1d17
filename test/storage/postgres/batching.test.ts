/** How submissions are gathered into batches: while one half is stored, the other half is taken in. */

import { expect, test } from 'bun:test';
import { createBatching, MAX_IN_FLIGHT, type Waiting } from '../../../src/storage/postgres/writer/batching.ts';

const CLIENTS = 64;

const turn = () => new Promise(setImmediate);

/** Clients that each send the next submission when the last one is stored, unless it is over, and a database that stores when told to. */
function startLoad({ isOver = false } = {}) {
	const stores: (() => void)[] = [];
	const batches: number[] = [];
	const batching = createBatching<Waiting>({
		deadlineMs: 10_000,
		expire: () => {},
		async send(batch) {
			batches.push(batch.length);
			await new Promise<void>((store) => stores.push(store));
			if (!isOver) setImmediate(() => sendAll(batch.length));
		},
	});
	function sendAll(count: number): void {
		for (let i = 0; i < count; i++) batching.add({ since: performance.now(), row: { data: '{}' } } as Waiting);
	}
	return { batching, batches, sendAll, storeNext: () => stores.shift()?.(), inFlight: () => stores.length };
}

test('a submission that comes alone is sent at once', () => {
	const { batches, sendAll } = startLoad();
	sendAll(1);
	expect(batches).toEqual([1]);
});

test('clients that all wait at the same time are divided into halves', async () => {
	const { batches, sendAll, storeNext, inFlight } = startLoad();
	sendAll(CLIENTS);
	for (let rounds = 0; rounds < 50; rounds++) {
		while (inFlight() === 0) await turn();
		storeNext();
		await turn();
		await turn();
	}
	const last = batches.slice(-10);
	expect(Math.min(...last)).toBeGreaterThan(CLIENTS / 4);
	expect(Math.max(...last)).toBeLessThan((CLIENTS * 3) / 4);
});

test('few that come after many go when what is in flight is stored', async () => {
	const { batching, batches, sendAll, storeNext, inFlight } = startLoad({ isOver: true });
	sendAll(CLIENTS);
	while (inFlight() > 0) {
		storeNext();
		await turn();
	}
	await batching.drain();
	batches.length = 0;
	sendAll(1);
	while (inFlight() === 0) await turn();
	sendAll(3);
	expect(batches).toEqual([1]);
	storeNext();
	while (inFlight() === 0) await turn();
	expect(batches).toEqual([1, 3]);
});

test('no more than so many batches are on their way', () => {
	const { batches, sendAll } = startLoad();
	sendAll(CLIENTS * 100);
	expect(batches.length).toBe(MAX_IN_FLIGHT);
});
