/** Completions, in the shells themselves: what is typed on a terminal, with the tabulator key, becomes whole commands. */

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { createCli } from '../../src/cli/cli.ts';
import { createProgram } from '../../src/cli/program.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';
import { openCommandLine } from './command-line.ts';

/** Typed lines, in which ⇥ is the tabulator key, and the words that they become. */
const TYPED: [string, string[]][] = [
	['ke⇥', ['keys']],
	['ke⇥cr⇥--perm⇥', ['keys', 'create', '--permissions']],
	['ser⇥--submit-p⇥', ['serve', '--submit-port']],
	['deliveries list --channel w⇥', ['deliveries', 'list', '--channel', 'webhook']],
	['deliveries list --channel=w⇥', ['deliveries', 'list', '--channel=webhook']],
	// The same option has other values elsewhere.
	['submissions list contact --order a⇥', ['submissions', 'list', 'contact', '--order', 'asc']],
	['completion fi⇥', ['completion', 'fish']],
	// The value of an option is no command.
	['keys create --name list --perm⇥', ['keys', 'create', '--name', 'list', '--permissions']],
	['restore --send⇥', ['restore', '--send-waiting']],
	['restore sava⇥', ['restore', 'savannah.tar']],
	['lists add block --file sava⇥', ['lists', 'add', 'block', '--file', 'savannah.tar']],
];
const WITHIN_MS = 20_000;

/** Types the lines into a shell for which `formsrv` prints its arguments, and returns these. */
async function typed(shell: string[], setUp: string, lines: readonly string[]): Promise<string[][]> {
	const cwd = tempFolder();
	await Bun.write(join(cwd, 'savannah.tar'), '');
	const { stdout: script } = await openCommandLine().call('completion', shell[0]?.replace(/.*\//, '') ?? '');
	await Bun.write(join(cwd, 'set-up'), `${setUp}\n${script}\nformsrv() { printf '<%s>' BEGIN "$@" END; echo; }\n`);
	let screen = '';
	const child = Bun.spawn(shell, {
		cwd,
		env: { PATH: process.env.PATH, HOME: cwd, TERM: 'dumb', INPUTRC: '/dev/null' },
		timeout: WITHIN_MS,
		terminal: {
			cols: 500,
			rows: 50,
			data(_, bytes) {
				screen += Buffer.from(bytes).toString();
			},
		},
	});
	const read = () => [...screen.matchAll(/<BEGIN>(.*?)<END>/g)].map(([, words = '']) => words.slice(1, -1).split('><'));
	try {
		child.terminal?.write('. ./set-up\n');
		for (const [index, line] of lines.entries()) {
			child.terminal?.write(`formsrv ${line.replaceAll('⇥', '\t')}\n`);
			const deadline = performance.now() + WITHIN_MS / 2;
			while (read().length <= index && performance.now() < deadline) await Bun.sleep(10);
		}
	} finally {
		child.kill('SIGKILL');
		await child.exited;
		child.terminal?.close();
	}
	return read();
}

const LINES = TYPED.map(([line]) => line);
const WORDS = TYPED.map(([, words]) => words);

describe('completes commands, options, values and files', () => {
	const [bash, zsh, fish] = [withProgram('bash'), withProgram('zsh'), withProgram('fish')];

	bash.test(
		'bash',
		async () => {
			expect(await typed([bash.path, '--norc', '--noprofile', '-i'], '', LINES)).toEqual(WORDS);
		},
		WITHIN_MS,
	);

	zsh.test(
		'zsh',
		async () => {
			const setUp = 'autoload -U compinit && compinit -u -D';
			expect(await typed([zsh.path, '-f', '-i'], setUp, LINES)).toEqual(WORDS);
		},
		WITHIN_MS,
	);

	fish.test(
		'fish',
		async () => {
			const cwd = tempFolder();
			await Bun.write(join(cwd, 'savannah.tar'), '');
			await Bun.write(join(cwd, 'formsrv.fish'), (await openCommandLine().call('completion', 'fish')).stdout);
			const completed = TYPED.map(([line, words]) => {
				// Fish says what the last word can become.
				const before = [...words.slice(0, -1), line.replace(/.*[ ⇥](?=[^⇥]+⇥$)/, '').replace('⇥', '')];
				const command = `source formsrv.fish; complete -C 'formsrv ${before.join(' ')}'`;
				const child = Bun.spawnSync([fish.path, '--no-config', '-c', command], { cwd, env: { HOME: cwd } });
				return [...words.slice(0, -1), `${child.stdout}`.trimEnd().replace(/\t.*$/, '')];
			});
			expect(completed).toEqual(WORDS);
		},
		WITHIN_MS,
	);
});

test('another shell is wrong usage', async () => {
	const { code, stderr } = await openCommandLine().call('completion', 'tcsh');
	expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('bash, zsh, fish') });
});

test('an option takes a value in all commands or in none, on which the scripts rely', async () => {
	const program = await createProgram(
		createCli({ stdout: process.stdout, stderr: process.stderr, env: {}, cwd: '.' }),
		[],
	);
	const takes = new Map<string, Set<boolean>>();
	const visit = (command: typeof program): void => {
		for (const { long, required } of command.options)
			takes.set(`${long}`, (takes.get(`${long}`) ?? new Set()).add(required));
		command.commands.forEach(visit);
	};
	visit(program);
	expect(takes.size).toBeGreaterThan(50);
	expect([...takes].filter(([, kinds]) => kinds.size > 1)).toEqual([]);
});
