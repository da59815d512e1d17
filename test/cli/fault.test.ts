/** A server in which something failed that nothing handled: it ends with an error, after what is in flight was stored. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { databaseSettings } from '../engine.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
/** Loaded before the server: SIGUSR2 is a fault in it that nothing handles. */
const FAULTS = {
	exception: "process.on('SIGUSR2', () => setTimeout(() => { throw new Error('made by the test'); }));",
	rejection: "process.on('SIGUSR2', () => void Promise.reject(new Error('made by the test')));",
};
const SENDERS = 8;

test.each(['exception', 'rejection'] as const)(
	'after an unhandled %s the process ends with exit code 1, and loses nothing',
	async (kind) => {
		const cwd = tempFolder();
		const fault = join(cwd, 'fault.js');
		await Bun.write(fault, FAULTS[kind]);
		const env = {
			PATH: process.env.PATH,
			FORMSRV_PORT: '0',
			FORMSRV_SUBMIT_PORT: '0',
			FORMSRV_RATE_SUBMIT: '0',
			...(await databaseSettings(cwd)),
		};
		const run = (...args: string[]) =>
			Bun.spawn([process.execPath, '--preload', fault, MAIN, ...args], { cwd, env, stdout: 'pipe', stderr: 'pipe' });
		expect(await run('forms', 'create', 'Contact', '--slug', 'contact').exited).toBe(0);
		const server = run('serve');
		const said = text(server.stderr);
		let submitUrl: string | undefined;
		const decoder = new TextDecoder();
		let printed = '';
		for await (const chunk of server.stdout) {
			printed += decoder.decode(chunk, { stream: true });
			submitUrl = /^submit +(\S+)\n/m.exec(printed)?.[1];
			if (submitUrl) break;
		}
		const acknowledged: string[] = [];
		let isOver = false;
		const send = async (sender: number) => {
			for (let n = 0; !isOver; n++) {
				const mark = `${sender}-${n}`;
				const body = new URLSearchParams({ mark });
				const response = await fetch(`${submitUrl}/f/contact`, {
					method: 'POST',
					headers: { Accept: 'application/json' },
					body,
				}).catch(() => undefined);
				if (!response) return;
				if (response.ok) acknowledged.push(mark);
			}
		};
		const senders = Array.from({ length: SENDERS }, (_, i) => send(i));
		await until(() => acknowledged.length >= 50);
		server.kill('SIGUSR2');
		expect(await server.exited).toBe(1);
		isOver = true;
		await Promise.all(senders);
		expect(await said).toMatch(/Unhandled error: the server ends, with exit code 1\.[\s\S]*made by the test/);
		const listed = await text(run('submissions', 'export', 'contact', '--format', 'json').stdout);
		expect(acknowledged.filter((mark) => !listed.includes(`"${mark}"`))).toEqual([]);
	},
	60_000,
);
