/** `formsrv apply`, killed on its way: each form that is there is whole, and applying the file again does the rest. */

import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, runBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { KILLS } from './kills.ts';

const FORMS = 40;

interface Dumped {
	forms: Record<
		string,
		{
			name: string;
			redirectUrl: string;
			isActive?: boolean;
			webhooks: object[];
			lists: { allow: string[]; block: string[] };
		}
	>;
}

/** Another file in each round, so that forms are made as well as changed. */
function fileOf(round: number): Dumped {
	const formOf = (i: number) => ({
		name: `Form ${i} of ${round}`,
		redirectUrl: `https://example.com/${i}/${round}`,
		webhooks: [{ url: `https://hooks.example.com/${i}` }],
		lists: { allow: [], block: [`domain:spam${round}.example`] },
	});
	const count = FORMS + round;
	return { forms: Object.fromEntries(Array.from({ length: count }, (_, i) => [`form-${i}`, formOf(i)])) };
}

test(`${KILLS} kills in the middle of it leave whole forms`, async () => {
	const cwd = tempFolder();
	const write = (round: number) => writeFileSync(join(cwd, 'forms.json'), JSON.stringify(fileOf(round)));
	const dump = async () => JSON.parse((await runBinary(['forms', 'dump', '--json'], { cwd })).stdout) as Dumped;
	await runBinary(['keys', 'create'], { cwd });
	let interrupted = 0;
	for (let round = 1; round <= KILLS; round++) {
		write(round);
		const before = (await dump()).forms;
		const child = Bun.spawn([BINARY, 'apply', 'forms.json'], { cwd, env: {}, stdout: 'pipe', stderr: 'ignore' });
		const reader = child.stdout.getReader();
		// The plan is printed step by step, as it is done.
		for (let seen = 0; seen < 100 * round; ) {
			const { value, done } = await reader.read();
			if (done) break;
			seen += value.length;
		}
		child.kill('SIGKILL');
		await child.exited;
		const after = (await dump()).forms;
		const wanted = fileOf(round).forms;
		const isOf = (form: Dumped['forms'][string] | undefined, of: Dumped['forms'][string] | undefined) =>
			form?.name === of?.name && form?.redirectUrl === of?.redirectUrl;
		for (const [slug, form] of Object.entries(after)) {
			expect([slug, isOf(form, wanted[slug]) || isOf(form, before[slug])]).toEqual([slug, true]);
			// One that takes submissions has its webhooks and lists.
			const { webhooks, lists, isActive = true } = form;
			const isWhole = webhooks.length === 1 && lists.block.length === 1;
			expect([slug, isWhole || !isActive]).toEqual([slug, true]);
			if (!isOf(form, wanted[slug])) interrupted++;
		}
		if (Object.keys(after).length < FORMS) interrupted++;
	}
	expect(interrupted).toBeGreaterThan(0);
	expect(await runBinary(['apply', 'forms.json'], { cwd })).toMatchObject({ code: 0 });
	expect((await dump()).forms).toEqual(fileOf(KILLS).forms);
	expect(await runBinary(['apply', 'forms.json', '--dry-run'], { cwd })).toMatchObject({ code: 0, stdout: '' });
}, 240_000);
