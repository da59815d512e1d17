/** The small chart stays inside its box. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { sparklineArea, sparklinePath } from '../../../src/dashboard/web/components/sparkline.tsx';

const SIZE = { width: 100, height: 20 };

describe('the line of a chart', () => {
	test('goes from the first day to the last, the busiest at the top', () => {
		expect(sparklinePath([0, 10, 5], SIZE)).toBe('M0 20L50 0L100 10');
	});

	test('lies on the ground when nothing came', () => {
		expect(sparklinePath([0, 0, 0], SIZE)).toBe('M0 20L50 20L100 20');
	});

	test('is level for a single day and absent for none', () => {
		expect(sparklinePath([3], SIZE)).toBe('M0 0H100');
		expect(sparklinePath([], SIZE)).toBe('');
		expect(sparklineArea([], SIZE)).toBe('');
	});

	test('never leaves the box', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(), { minLength: 2, maxLength: 60 }), (counts) => {
				const numbers =
					sparklineArea(counts, SIZE)
						.match(/[\d.]+/g)
						?.map(Number) ?? [];
				const xs = numbers.filter((_, at) => at % 2 === 0);
				const ys = numbers.filter((_, at) => at % 2 === 1);
				expect(Math.max(...xs)).toBeLessThanOrEqual(SIZE.width);
				expect(Math.max(...ys)).toBeLessThanOrEqual(SIZE.height);
			}),
		);
	});
});
