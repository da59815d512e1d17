/** Alerts: when they are sent, once, and that a restart, a flood or an unreachable receiver changes nothing about it. */

import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Alert, createAlerts, type Receiver } from '../../src/alerts/alerts.ts';
import { type Cause, watchCauses } from '../../src/alerts/causes.ts';
import { createClaims } from '../../src/alerts/claims.ts';
import { createEvents } from '../../src/events.ts';
import { createLog } from '../../src/log/log.ts';
import type { Storage } from '../../src/storage/contract.ts';
import { createFindings } from '../../src/storage/findings.ts';
import { openStorage } from '../../src/storage/open.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/tasks/durations.ts';
import { newDatabase } from '../engine.ts';

const NONE: readonly Cause[] = [];
const DISK: Cause = { name: 'disk', problem: 'The disk is almost full.' };
const START = Date.parse('2026-01-02T03:04:05Z');
const log = createLog({ level: 'error', format: 'json', write: () => {} });

let folder: string;
let storage: Storage;
let now: number;
let causes: readonly Cause[];
/** The alerts that arrived, as `begun disk`. */
let arrived: string[];

beforeEach(async () => {
	folder = mkdtempSync(join(tmpdir(), 'formsrv-test-'));
	storage = await openStorage(await newDatabase(folder), {});
	[now, causes, arrived] = [START, NONE, []];
});
afterEach(async () => {
	await storage.close();
	rmSync(folder, { recursive: true, force: true });
});

/** Alerts of a server that was just started. */
function start({ send = async () => undefined, ...over }: { send?: Receiver['send']; storage?: Storage } = {}) {
	const receiver: Receiver = {
		name: 'test',
		async send(alert: Alert) {
			const problem = await send(alert);
			if (problem === undefined) arrived.push(`${alert.state} ${alert.name}`);
			return problem;
		},
	};
	return createAlerts({
		present: () => causes,
		claims: createClaims(over.storage ?? storage),
		receivers: [receiver],
		log,
		now: () => now,
	});
}

test('a problem is told when it begins and when it is over, however often it is looked for', async () => {
	const { look } = start();
	causes = [DISK];
	for (let i = 0; i < 5; i++) await look();
	expect(arrived).toEqual(['begun disk']);
	causes = NONE;
	for (let i = 0; i < 5; i++) await look();
	expect(arrived).toEqual(['begun disk', 'over disk']);
});

test('one that comes and goes is told at most once an hour', async () => {
	const { look } = start();
	for (let minute = 0; minute < 150; minute++) {
		now = START + minute * MINUTE_MS;
		causes = minute % 2 === 0 ? [DISK] : NONE;
		await look();
	}
	const begun = arrived.filter((one) => one === 'begun disk');
	expect(begun).toHaveLength(3);
	expect(arrived.filter((one) => one === 'over disk')).toHaveLength(3);
});

test('one that is still there an hour after it was held back is told then', async () => {
	const { look } = start();
	causes = [DISK];
	await look();
	causes = NONE;
	await look();
	causes = [DISK];
	now = START + 59 * MINUTE_MS;
	await look();
	expect(arrived).toEqual(['begun disk', 'over disk']);
	now = START + HOUR_MS;
	await look();
	expect(arrived).toEqual(['begun disk', 'over disk', 'begun disk']);
});

test('each problem is told for itself', async () => {
	const { look } = start();
	causes = [DISK, { name: 'mail', problem: 'Mail is paused.' }];
	await look();
	causes = [DISK];
	await look();
	expect(arrived).toEqual(['begun disk', 'begun mail', 'over mail']);
});

test('a restart repeats nothing, and tells the end of what began before', async () => {
	causes = [DISK];
	await start().look();
	now += 3 * HOUR_MS;
	await start().look();
	expect(arrived).toEqual(['begun disk']);
	causes = NONE;
	const { look } = start();
	await look();
	// Some causes are seen only a while after a start.
	expect(arrived).toEqual(['begun disk']);
	for (let i = 0; i < 24; i++) await look();
	expect(arrived).toEqual(['begun disk', 'over disk']);
});

test('one that could not be sent before a restart is sent after it, and its end only if it was', async () => {
	const unreachable = { send: async () => 'Nothing responds.' };
	causes = [DISK];
	await start(unreachable).look();
	await start(unreachable).look();
	await start().look();
	expect(arrived).toEqual(['begun disk']);
	const MAIL = { name: 'mail', problem: 'Mail is paused.' };
	causes = [DISK, MAIL];
	await start(unreachable).look();
	causes = [DISK];
	const { look } = start();
	for (let i = 0; i < 25; i++) await look();
	expect(arrived).toEqual(['begun disk']);
});

test('an end that could not be sent before a restart is sent after it, unless it has begun again', async () => {
	const away: { reason?: string } = {};
	const server = start({ send: async () => away.reason });
	causes = [DISK];
	await server.look();
	causes = NONE;
	away.reason = 'Nothing responds.';
	await server.look();
	causes = [DISK];
	const again = start();
	for (let i = 0; i < 25; i++) await again.look();
	expect(arrived).toEqual(['begun disk']);
	causes = NONE;
	const last = start();
	for (let i = 0; i < 25; i++) await last.look();
	expect(arrived).toEqual(['begun disk', 'over disk']);
});

test('an end that is sent late does not end what has begun since', async () => {
	const away: { reason?: string } = {};
	const { look } = start({ send: async () => away.reason });
	causes = [DISK];
	await look();
	causes = NONE;
	away.reason = 'Nothing responds.';
	await look();
	causes = [DISK];
	now += 2 * HOUR_MS;
	away.reason = undefined;
	for (let i = 0; i < 13; i++) await look();
	expect(arrived).toEqual(['begun disk', 'over disk', 'begun disk']);
	causes = NONE;
	const next = start();
	for (let i = 0; i < 25; i++) await next.look();
	expect(arrived.at(-1)).toBe('over disk');
});

test('a server that is restarted again and again tells a problem once an hour', async () => {
	for (let minute = 0; minute < 60; minute++) {
		now = START + minute * MINUTE_MS;
		causes = minute % 3 === 0 ? NONE : [DISK];
		const { look } = start();
		for (let i = 0; i < 24; i++) await look();
	}
	expect(arrived).toEqual(['begun disk', 'over disk']);
});

test('one that was told while the clock was ahead is told again once the clock is right', async () => {
	now = START + 365 * DAY_MS;
	const { look } = start();
	causes = [DISK];
	await look();
	causes = NONE;
	await look();
	now = START;
	causes = [DISK];
	await look();
	expect(arrived).toEqual(['begun disk', 'over disk', 'begun disk']);
});

test('without the database it is told all the same, and once', async () => {
	const fails = () => Promise.reject(new Error('away'));
	const away = { ...storage, batch: fails, db: { select: () => ({ from: () => ({ where: fails }) }) } };
	const { look } = start({ storage: away as unknown as Storage });
	causes = [DISK];
	for (let i = 0; i < 5; i++) await look();
	causes = NONE;
	await look();
	expect(arrived).toEqual(['begun disk', 'over disk']);
});

test('an alert that cannot be sent waits, and arrives in its order', async () => {
	let isAway = true;
	const { look } = start({ send: async () => (isAway ? 'Nothing responds.' : undefined) });
	causes = [DISK];
	await look();
	causes = NONE;
	await look();
	expect(arrived).toEqual([]);
	isAway = false;
	for (let i = 0; i < 12; i++) await look();
	expect(arrived).toEqual(['begun disk', 'over disk']);
});

test('the causes are the findings, deliveries given up, a clock that was set, and a disk with little room', () => {
	const events = createEvents();
	const findings = createFindings({});
	let elapsed = 0;
	let latest: string | null = null;
	const clock = { report: () => ({ problem: null, latest }) };
	const { present, stop } = watchCauses({ events, findings, clock, folders: ['/nowhere'], elapsed: () => elapsed });
	const names = () => present().map(({ name }) => name);
	expect(names()).toEqual([]);
	findings.set('damage', 'somewhere');
	events.publish({ type: 'delivery', formId: 1, deliveryId: 1, state: 'sent' });
	expect(names()).toEqual(['damage']);
	for (let i = 0; i < 3; i++) events.publish({ type: 'delivery', formId: 1, deliveryId: i, state: 'failed' });
	latest = 'The clock was set back by an hour.';
	expect(names()).toEqual(['damage', 'deliveries', 'clock']);
	expect(present()[1]?.problem).toContain('given up: 3.');
	elapsed = HOUR_MS;
	findings.clear('damage');
	expect(names()).toEqual([]);
	stop();
});
