/** The list of what is wrong: what it refuses, and what it says in the log. */

import { expect, test } from 'bun:test';
import { AppError } from '../../src/errors.ts';
import { createLog } from '../../src/log/log.ts';
import { createFindings, logBeside } from '../../src/storage/findings.ts';
import { isDamage } from '../../src/storage/sqlite/failures.ts';

function openFindings() {
	const lines: { level: string; message: string; finding?: string; refused?: number }[] = [];
	const write = (text: Uint8Array) => {
		const whole = new TextDecoder().decode(text);
		lines.push(
			...whole
				.trimEnd()
				.split('\n')
				.map((line) => JSON.parse(line)),
		);
	};
	const log = createLog({ level: 'warn', format: 'json', write });
	const clock = { elapsedMs: 0 };
	const findings = createFindings({ log, now: () => 1_000, elapsed: () => clock.elapsedMs });
	return {
		findings,
		log: logBeside(findings, log, isDamage),
		/** Lets time pass in the steps of the watch; the lines that were logged since the last call. */
		pass(seconds: number) {
			for (let i = 0; i < 4 * seconds; i++) {
				clock.elapsedMs += 250;
				findings.remind();
			}
			log.flush();
			return lines.splice(0).map(({ level, finding, refused }) => ({ level, finding, refused }));
		},
	};
}

test('a finding is logged when it begins, then once a minute with what was refused, and when it is over', () => {
	const { findings, pass } = openFindings();
	findings.set('lock');
	expect(pass(1)).toEqual([{ level: 'ERROR', finding: 'lock', refused: 0 }]);
	for (let i = 0; i < 7; i++) expect(findings.rejection('submission')?.code).toBe('UNAVAILABLE');
	expect(findings.rejection('write')?.details.retryAfterSeconds).toBeGreaterThan(0);
	expect(pass(58)).toEqual([]);
	expect(pass(1)).toEqual([{ level: 'ERROR', finding: 'lock', refused: 8 }]);
	findings.clear('lock');
	expect(findings.rejection('submission')).toBeUndefined();
	expect(pass(4)).toEqual([]);
	expect(pass(2)).toEqual([{ level: 'WARN', finding: 'lock', refused: 0 }]);
	expect(pass(120)).toEqual([]);
});

test('what nothing is rejected for is logged once an hour', () => {
	const { findings, pass } = openFindings();
	findings.set('fileQuota');
	const line = { level: 'ERROR', finding: 'fileQuota', refused: 0 };
	expect(pass(1)).toEqual([line]);
	expect(pass(3598)).toEqual([]);
	expect(pass(1)).toEqual([line]);
});

test('what comes and goes all the time is a line a minute', () => {
	const { findings, pass } = openFindings();
	const logged: object[] = [];
	for (let i = 0; i < 170; i++) {
		findings.set('disk', 'no room');
		findings.unavailable('disk');
		findings.clear('disk');
		logged.push(...pass(1));
	}
	expect(logged).toEqual([
		{ level: 'ERROR', finding: 'disk', refused: 0 },
		{ level: 'ERROR', finding: 'disk', refused: 60 },
		{ level: 'ERROR', finding: 'disk', refused: 60 },
	]);
});

test('a full disk stops submissions and nothing else; a write that fails stops both', () => {
	const { findings } = openFindings();
	findings.set('disk');
	expect(findings.rejection('write')).toBeUndefined();
	expect(findings.rejection('submission')).toBeDefined();
	findings.set('write');
	expect(findings.rejection('write')).toBeDefined();
	findings.clear('write');
	expect(findings.rejectsWrites()).toBe(false);
	expect(findings.list()).toMatchObject([{ name: 'disk', since: 1000 }]);
});

test('work behind the requests that was refused is not logged again, and damage that is logged is a finding', () => {
	const { findings, log, pass } = openFindings();
	findings.set('file');
	pass(1);
	log.error('Maintenance failed.', { cause: findings.rejection('write') });
	expect(pass(1)).toEqual([]);
	log.error('Something failed.', { cause: new AppError('INTERNAL', 'x', { cause: { code: 'SQLITE_CORRUPT' } }) });
	expect(pass(1).map(({ finding }) => finding)).toEqual(['damage', undefined]);
	expect(findings.list().map(({ name }) => name)).toEqual(['file', 'damage']);
});
