/** A server in a control group with little memory: large bodies wait or are told to come again, and nothing is killed. */

import { expect, test } from 'bun:test';
import { boundMemory } from '../../bench/memory-bound.ts';
import { serveOneForm } from '../durability/one-form.ts';

const BOUND_MIB = 320;
const AT_ONCE = 100;
const mayBound = boundMemory(BOUND_MIB * 2 ** 20);
mayBound.remove();

test.skipIf(mayBound.prefix.length === 0)(
	`within ${BOUND_MIB} MiB ${AT_ONCE} of the largest bodies at one time, three times`,
	async () => {
		const bound = boundMemory(BOUND_MIB * 2 ** 20);
		// Without `exec`: the program gets the signals by the process that is above it.
		const prefix = bound.prefix.map((part) => part.replace('exec "$@"', '"$@"; exit $?'));
		const form = await serveOneForm({ prefix });
		try {
			for (let round = 0; round < 3; round++) {
				const text = 'ä'.repeat(500_000);
				const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => form.submit({ text })));
				expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
				expect(statuses).toContain(200);
			}
			expect(await form.probe('/health')).toBe(200);
			expect(await form.submit()).toBe(200);
			expect(bound.kills()).toBe(0);
		} finally {
			expect(await form.server.end('SIGTERM')).toBe(0);
			bound.remove();
		}
		expect(form.wrong()).toEqual([]);
	},
	90_000,
);
