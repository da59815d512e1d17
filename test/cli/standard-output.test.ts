/** Commands with an output that is slow, full, closed or a terminal. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { tempFolder } from '../temp-folder.ts';

const MODULE = join(import.meta.dir, '..', '..', 'src', 'cli', 'standard-output.ts');
/** More than a pipe holds. */
const LENGTH = 300_000;
const PROGRAM = `
import { openStandardOutput } from ${JSON.stringify(MODULE)};
const stdout = openStandardOutput('stdout');
stdout.write('a');
const taken = await stdout.write('b'.repeat(${LENGTH}));
const lost = await stdout.finished();
console.error(JSON.stringify({ taken, lost, isTTY: stdout.isTTY, columns: stdout.columns }));
`;

/** Runs a shell line with the program in it; answers what the line prints and what the program found. */
async function run(line: string, program = PROGRAM) {
	const env = { PATH: process.env.PATH, BUN: process.execPath, PROGRAM: program };
	const child = Bun.spawn(['bash', '-c', line], { env, stdout: 'pipe', stderr: 'pipe' });
	const [printed, found] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
	return { printed, found: JSON.parse(found) };
}

test('a slow reader gets the whole output', async () => {
	const { printed, found } = await run('"$BUN" -e "$PROGRAM" | (sleep 0.2; wc -c)');
	expect(Number(printed)).toBe(LENGTH + 1);
	expect(found).toEqual({ taken: true, isTTY: false });
});

test('a reader that closes early ends the output without a failure', async () => {
	const { printed, found } = await run('"$BUN" -e "$PROGRAM" | head -c 2');
	expect(printed).toBe('ab');
	expect(found).toEqual({ taken: false, isTTY: false });
});

test('nothing is said of a reader that is gone before a text beyond ASCII', async () => {
	const gone = join(tempFolder(), 'gone');
	const program = `
		import { openStandardOutput } from ${JSON.stringify(MODULE)};
		const stdout = openStandardOutput('stdout');
		await stdout.write('a');
		while (!(await Bun.file('${gone}').exists())) await Bun.sleep(5);
		const taken = await stdout.write('é'.repeat(${LENGTH}) + '…');
		console.error(JSON.stringify({ taken, lost: await stdout.finished() }));
	`;
	const { found } = await run(`"$BUN" -e "$PROGRAM" | (head -c 1; exec <&-; touch ${gone})`, program);
	expect(found).toEqual({ taken: false });
});

test('a full disk is a failure with its reason', async () => {
	const { found } = await run('"$BUN" -e "$PROGRAM" > /dev/full');
	expect(found).toEqual({ taken: false, lost: expect.stringContaining('no space left'), isTTY: false });
});

test('a terminal is detected with its width, /dev/null is none', async () => {
	const terminal = await run(`script -qec 'stty cols 123; "$BUN" -e "$PROGRAM" 2>&3' /dev/null 3>&2`);
	expect(terminal.found).toMatchObject({ isTTY: true, columns: 123 });
	expect((await run('"$BUN" -e "$PROGRAM" > /dev/null')).found).toEqual({ taken: true, isTTY: false });
});
