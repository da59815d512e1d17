import { describe, expect, test } from 'bun:test';
import { solveChallenge, verifySolution } from 'altcha-lib/v1';
import fc from 'fast-check';
import { type AltchaChallenge, type AltchaOptions, createAltcha } from '../../../src/intake/checks/altcha.ts';

const SECRET = 'a secret of the server';
const START = Date.parse('2026-03-04T05:06:07Z');

function setUp(more: Partial<AltchaOptions> = {}) {
	const used = new Map<string, number>();
	let now = START;
	const altcha = createAltcha({
		secret: async () => SECRET,
		consume: async (challenge, expiresAt) => {
			const isNew = !used.has(challenge);
			used.set(challenge, expiresAt);
			return isNew;
		},
		maxNumber: 500,
		now: () => now,
		...more,
	});
	return {
		...altcha,
		used,
		passSeconds: (seconds: number) => {
			now += seconds * 1000;
		},
	};
}

/** Solves with the official code. Returns the token that the widget puts into the form. */
async function solve({ algorithm, challenge, salt, maxnumber, signature }: AltchaChallenge) {
	const solution = await solveChallenge(challenge, salt, algorithm, maxnumber).promise;
	return { algorithm, challenge, number: solution?.number ?? -1, salt, signature, took: 12 };
}

const encode = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64');

describe('a challenge', () => {
	test('is solved by the official code, and its solution accepted by ours', async () => {
		const { challenge, verify } = setUp();
		expect(await verify(encode(await solve(await challenge('f1'))), 'f1')).toBe(true);
	});

	test('is one that the official verifier accepts too', async () => {
		const { challenge } = setUp({ now: Date.now });
		expect(await verifySolution(encode(await solve(await challenge('f1'))), SECRET)).toBe(true);
	});

	test('says when it expires, in a way that the widget reads', async () => {
		const { salt } = await setUp().challenge('f1');
		expect(new URLSearchParams(salt.split('?')[1]).get('expires')).toBe(String(START / 1000 + 600));
	});

	test('requires the configured amount of work', async () => {
		const { challenge } = setUp({ maxNumber: 3 });
		const solved = Array.from({ length: 60 }, async () => (await solve(await challenge('f1'))).number);
		expect(new Set(await Promise.all(solved))).toEqual(new Set([0, 1, 2, 3]));
	});

	test('is never the same twice', async () => {
		const { challenge } = setUp();
		const [one, two] = [await challenge('f1'), await challenge('f1')];
		expect(one.salt).not.toBe(two.salt);
		expect(one.challenge).not.toBe(two.challenge);
	});
});

describe('a solution is rejected', () => {
	test('the second time', async () => {
		const { challenge, verify, used } = setUp();
		const token = encode(await solve(await challenge('f1')));
		expect(await verify(token, 'f1')).toBe(true);
		expect(await verify(token, 'f1')).toBe(false);
		expect([...used.values()]).toEqual([START + 600_000]);
	});

	test('the second time, also in another encoding', async () => {
		const { challenge, verify } = setUp();
		const payload = await solve(await challenge('f1'));
		expect(await verify(encode(payload), 'f1')).toBe(true);
		expect(await verify(`${encode({ ...payload, took: 99 })}\n`, 'f1')).toBe(false);
	});

	test('after ten minutes', async () => {
		const { challenge, verify, passSeconds } = setUp();
		const [early, late] = [encode(await solve(await challenge('f1'))), encode(await solve(await challenge('f1')))];
		passSeconds(599);
		expect(await verify(early, 'f1')).toBe(true);
		passSeconds(1);
		expect(await verify(late, 'f1')).toBe(false);
	});

	test('for another form', async () => {
		const { challenge, verify, used } = setUp();
		const token = encode(await solve(await challenge('f1')));
		expect(await verify(token, 'f2')).toBe(false);
		expect(used.size).toBe(0);
	});

	test('with anything in it changed', async () => {
		const { challenge, verify, used } = setUp();
		const payload = await solve(await challenge('f1'));
		const later = String(START / 1000 + 6000);
		const changes = [
			{ number: payload.number + 1 },
			{ number: payload.number - 0.5 },
			{ number: String(payload.number) },
			{ number: -payload.number - 1 },
			{ salt: payload.salt.replace(/expires=\d+/, `expires=${later}`) },
			{ salt: payload.salt.replace('&expires', '&a=b&expires') },
			{ salt: payload.salt.slice(0, -1) },
			{ salt: `${payload.salt}1` },
			{ salt: null },
			{ salt: [payload.salt] },
			{ signature: payload.signature.replace(/^./, (first) => (first === '0' ? '1' : '0')) },
			{ signature: '' },
			{ signature: `${payload.signature}00` },
			{ signature: undefined },
			{ signature: [payload.signature] },
		];
		for (const change of changes) expect(await verify(encode({ ...payload, ...change }), 'f1')).toBe(false);
		expect(used.size).toBe(0);
		expect(await verify(encode(payload), 'f1')).toBe(true);
	});

	test('when it was signed with another secret', async () => {
		const other = setUp({ secret: async () => 'another secret' });
		const token = encode(await solve(await other.challenge('f1')));
		expect(await setUp().verify(token, 'f1')).toBe(false);
	});

	test('when digits were moved from the number to the expiry', async () => {
		const { challenge, verify } = setUp({ maxNumber: 99 });
		for (let round = 0; round < 20; round++) {
			const payload = await solve(await challenge('f1'));
			const [first = '', ...rest] = String(payload.number);
			const salt = payload.salt.replace(/&$/, `${first}&`);
			expect(await verify(encode({ ...payload, salt, number: Number(rest.join('')) }), 'f1')).toBe(false);
		}
	});

	test('whatever else it is', async () => {
		const { verify } = setUp();
		const cases = ['', 'x', '{}', encode(null), encode([]), encode('x'), encode({}), 'A'.repeat(100_000), '�'];
		for (const token of cases) expect(await verify(token, 'f1')).toBe(false);
		const anything = fc.oneof(
			fc.string(),
			fc.json().map((json) => Buffer.from(json).toString('base64')),
		);
		await fc.assert(
			fc.asyncProperty(anything, async (token) => {
				expect(await verify(token, 'f1')).toBe(false);
			}),
		);
	});
});
