import { expect, test } from 'bun:test';
import { createOneAtATime } from '../../src/tasks/one-at-a-time.ts';

test('tasks run one after the other, in order, also after a failure', async () => {
	const oneAtATime = createOneAtATime();
	const steps: string[] = [];
	const step = (name: string, fails = false) =>
		oneAtATime(async () => {
			steps.push(`${name} begins`);
			await Bun.sleep(1);
			steps.push(`${name} ends`);
			if (fails) throw new Error(name);
			return name;
		});
	const results = await Promise.allSettled([step('a'), step('b', true), step('c')]);
	expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
	expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});
