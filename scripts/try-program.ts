/**
 * `bun scripts/try-program.ts COMMAND…`: runs a program that was built, by that command: it has to serve, to store a submission, to give it
 * back and to end as it should. The command may be `chroot FOLDER /formsrv`, or that of an emulator.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An emulator compiles the program as it goes. */
const WITHIN_MS = 120_000;

/** @returns the version that the program says it has */
export async function tryProgram(command: readonly string[]): Promise<string> {
	const cwd = await mkdtemp(join(tmpdir(), 'formsrv-try-'));
	const env = { PATH: process.env.PATH, FORMSRV_PORT: '0', FORMSRV_SUBMIT_PORT: '0', FORMSRV_LOG_LEVEL: 'error' };
	const options = { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'inherit', timeout: WITHIN_MS } as const;
	const run = async (...args: string[]) => {
		const child = Bun.spawn([...command, ...args], options);
		const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
		if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}.`);
		return text.trim();
	};
	const server = Bun.spawn([...command, 'serve'], options);
	try {
		const submit = await addressFrom(server.stdout);
		await run('forms', 'create', 'Trial', '--slug', 'trial');
		const response = await fetch(`${submit}/f/trial`, { method: 'POST', body: new URLSearchParams({ word: 'Grüße' }) });
		if (!response.ok) throw new Error(`The submission got ${response.status}.`);
		const stored = await run('submissions', 'list', 'trial', '--json');
		if (!stored.includes('"data":{"word":"Grüße"}')) throw new Error(`Stored is ${stored}.`);
		server.kill('SIGTERM');
		if ((await server.exited) !== 0) throw new Error(`The server ended with ${server.exitCode}.`);
		return await run('--version');
	} finally {
		server.kill('SIGKILL');
		await rm(cwd, { recursive: true });
	}
}

async function addressFrom(stdout: ReadableStream<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let printed = '';
	for await (const chunk of stdout) {
		printed += decoder.decode(chunk, { stream: true });
		const [, submit] = /^submit +(\S+)\n/m.exec(printed) ?? [];
		if (submit) return submit;
	}
	throw new Error('It ended without serving.');
}

if (import.meta.main) console.log(await tryProgram(process.argv.slice(2)));
