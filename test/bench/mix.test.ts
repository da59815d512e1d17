/** The bodies of the benchmark are different from one another and like those of visitors. */

import { expect, test } from 'bun:test';
import { fieldsOf } from '../../bench/mix.ts';
import { openJudge } from '../spam/judge.ts';

const bodies = fieldsOf('mix');

test('at least 30,000 bodies, no two alike', () => {
	expect(bodies.length).toBeGreaterThanOrEqual(30_000);
	expect(new Set(bodies.map((fields) => JSON.stringify(fields))).size).toBe(bodies.length);
});

test('hardly one of them is spam or comes twice', () => {
	const judge = openJudge();
	const judged = bodies.slice(0, 5000).map((fields) => judge(fields));
	expect(judged.filter(({ verdict }) => verdict !== null)).toEqual([]);
	const repeated = judged.filter(({ reasons }) => reasons.some(({ rule }) => rule === 'repeated'));
	expect(repeated.length).toBeLessThan(0.03 * judged.length);
});
