import { describe, expect, test } from 'bun:test';
import { reportClock } from '../../src/storage/clock-report.ts';
import { createTimeline } from '../../src/storage/timeline.ts';

const HOUR = 3_600_000;
const YEAR = 365.25 * 24 * HOUR;
const NOW = Date.UTC(2027, 5, 1);
const PROGRAM = Date.UTC(2027, 0, 1);

/** Returns the report after steps from one moment to another, the ids running on; as far from now as given. */
function report(
	steps: [beforeMs: number, afterMs: number][],
	{ now = NOW, newest = now }: { now?: number; newest?: number } = {},
) {
	const made = steps.map(([before, after], i) => ({
		fromId: (NOW + i) * 2048,
		offsetMs: NOW + i - (NOW + after),
		beforeMs: NOW + before,
		afterMs: NOW + after,
		endMs: NOW + before,
	}));
	const timeline = createTimeline(made);
	const offset = made.at(-1)?.offsetMs ?? 0;
	return reportClock({ timeline, newestId: (newest + offset) * 2048, programMs: PROGRAM, now });
}

describe('the clock', () => {
	test('is well if it was never set', () => {
		expect(report([])).toEqual({ problem: null, latest: null });
	});

	test('is wrong before the program was made', () => {
		expect(report([], { now: PROGRAM - 1, newest: 0 }).problem).toContain('which is before this program was built');
	});

	test('is wrong, or was, if what is stored is later', () => {
		expect(report([], { newest: NOW + HOUR }).problem).toContain('what was stored last is from 2027-06-01T01:00');
	});

	test('was wrong if it came back to where it had left', () => {
		const { problem, latest } = report([
			[-HOUR, 10 * YEAR],
			[10 * YEAR + HOUR, -HOUR + 5000],
		]);
		expect(problem).toBeNull();
		expect(latest).toStartWith('The clock was wrong between 2027-05-31T23:00:00.000Z and 2027-05-31T23:00:05.000Z');
	});

	test('may be wrong for as long as it is behind what it said before', () => {
		expect(report([[YEAR, -HOUR]]).problem).toStartWith('The clock was set back by 1 year');
		expect(report([[-HOUR / 2, -HOUR]])).toEqual({
			problem: null,
			latest: expect.stringContaining('set back by 30 minutes'),
		});
	});

	test('may be wrong after it went forward by more than any machine sleeps', () => {
		expect(report([[-YEAR / 3, -HOUR]]).problem).toBeNull();
		expect(report([[-HOUR, YEAR]], { now: NOW + YEAR }).problem).toContain('went forward by 1 year');
	});

	test('was put right if it had been before the program', () => {
		expect(report([[-20 * YEAR, -HOUR]]).problem).toBeNull();
	});

	test('is not said to be set when it was by seconds', () => {
		expect(report([[0, -5000]])).toEqual({ problem: null, latest: null });
	});
});
