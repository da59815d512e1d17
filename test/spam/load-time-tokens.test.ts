/** LoadTimeTokens of the moment when a form was loaded. */

import { describe, expect, test } from 'bun:test';
import { createLoadTimeTokens } from '../../src/spam/sender/load-time-tokens.ts';
import { openTestServer } from '../server.ts';

const FORM = 1234567890;

function open(secret = 'a') {
	const clock = { now: 1_800_000_000_000 };
	return { clock, stamps: createLoadTimeTokens({ secret: async () => secret, now: () => clock.now }) };
}

describe('a stamp', () => {
	test.each([
		[0, 2],
		[1999, 2],
		[2000, 1],
		[3999, 1],
		[4000, undefined],
		[24 * 3600_000, undefined],
	])('of %d ms ago has points: %p', async (age, points) => {
		const { clock, stamps } = open();
		const stamp = await stamps.make(FORM);
		clock.now += age;
		expect(stamps.judge(stamp, FORM)?.points).toBe(points as number);
	});

	test('says how long it took', async () => {
		const { clock, stamps } = open();
		const stamp = await stamps.make(FORM);
		clock.now += 1234;
		expect(stamps.judge(stamp, FORM)).toEqual({
			rule: 'haste',
			points: 2,
			detail: 'Filled in and sent within 1.2 seconds',
		});
	});

	test('that is absent, of another form or server, changed, expired or of the future says nothing', async () => {
		const { clock, stamps } = open();
		const stamp = await stamps.make(FORM);
		const other = await open('b').stamps.make(FORM);
		for (const bad of [undefined, '', 'x', other, `${stamp}x`, stamp.replace(/^./, 'z'), stamp.slice(0, -1)]) {
			expect(stamps.judge(bad, FORM)).toBeNull();
		}
		expect(stamps.judge(stamp, FORM + 1)).toBeNull();
		clock.now -= 1;
		expect(stamps.judge(stamp, FORM)).toBeNull();
		clock.now += 24 * 3600_000 + 2;
		expect(stamps.judge(stamp, FORM)).toBeNull();
	});

	test('holds nothing but the time and a signature', async () => {
		const { clock, stamps } = open();
		const stamp = await stamps.make(FORM);
		expect(stamp).toMatch(/^[0-9a-z]+\.[\w-]{22}$/);
		expect(Number.parseInt(stamp, 36)).toBe(clock.now);
		expect(await stamps.make(FORM)).toBe(stamp);
	});
});

test('a stamp from the form’s address, sent along at once, is a reason, and is not stored', async () => {
	const server = await openTestServer();
	const form = await server.createForm<{ id: string; slug: string }>({ name: 'One' });
	const address = `${server.submitUrl}/f/${form.slug}/stamp`;
	const answer = await fetch(address, { headers: { Origin: 'https://example.com' } });
	expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
	expect(answer.headers.get('Cache-Control')).toBe('no-store');
	const { stamp } = (await answer.json()) as { stamp: string };
	await server.submit(form.slug, { name: 'Ada', _formsrv_stamp: stamp });
	const { body } = await server.call<{ submissions: object[] }>(`GET /api/forms/${form.id}/submissions`);
	expect(body.submissions).toMatchObject([
		{ data: { name: 'Ada' }, spamScore: 2, spamReasons: [{ rule: 'haste', points: 2 }] },
	]);
	await server.call(`PATCH /api/forms/${form.id}`, { json: { allowedDomains: ['example.com'] } });
	expect((await fetch(address, { headers: { Origin: 'https://other.example' } })).status).toBe(403);
	await server.close();
});
