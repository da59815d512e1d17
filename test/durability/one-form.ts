/** The binary with one form: submissions that carry a mark each, what was acknowledged, and what is stored. */

import { afterEach } from 'bun:test';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { type BinaryOptions, type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';

const UNLIMITED = { FORMSRV_RATE_SUBMIT: '0', FORMSRV_RATE_API: '0' };

const running = new Set<RunningBinary>();
/** Those that a failed test left. */
afterEach(async () => {
	for (const server of running) await server.end('SIGKILL').catch(() => {});
	running.clear();
});

export type OneForm = Awaited<ReturnType<typeof serveOneForm>>;

/** @param dataDir Elsewhere than in a folder of its own. */
export async function serveOneForm({
	dataDir = join(tempFolder(), 'data'),
	env: others,
	...options
}: Partial<BinaryOptions> & { dataDir?: string } = {}) {
	const cwd = tempFolder();
	const env = { ...UNLIMITED, FORMSRV_DATA_DIR: dataDir, ...others };
	const made = await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd, env });
	if (made.code !== 0) throw new Error(made.stderr);
	const logFile = join(cwd, 'log');
	async function start(): Promise<RunningBinary> {
		const started = await startBinary({ cwd, env, stderr: openSync(logFile, 'a'), ...options });
		running.add(started);
		return {
			...started,
			end: (signal) => {
				running.delete(started);
				return started.end(signal);
			},
		};
	}
	let server = await start();
	const acknowledged: string[] = [];
	const rejected: string[] = [];
	let marks = 0;

	/** Sends a submission. @returns the status, or 0 if there was no response */
	async function submit({ text = '', signal = AbortSignal.timeout(15_000) } = {}): Promise<number> {
		const mark = `mark-${marks++}`;
		const response = await fetch(`${server.submitUrl}/f/contact`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			body: JSON.stringify({ mark, text }),
			signal,
		}).catch(() => undefined);
		const status = response?.status ?? 0;
		await response?.arrayBuffer().catch(() => {});
		if (status === 200) acknowledged.push(mark);
		if (status === 503) rejected.push(mark);
		return status;
	}

	const probe = async (path: '/health' | '/ready') =>
		(await fetch(`${server.submitUrl}${path}`, { signal: AbortSignal.timeout(15_000) }).catch(() => undefined))?.status;

	return {
		env,
		cwd,
		file: join(dataDir, 'formsrv.db'),
		acknowledged,
		submit,
		probe,
		get server() {
			return server;
		},
		async restart(): Promise<void> {
			server = await start();
		},
		log: () => readFileSync(logFile, 'utf8'),
		/** The submissions that the file does not hold once, as each acknowledged one has to be, or not at all, as the rejected ones have. */
		wrong(): { mark: string; times: number }[] {
			const database = new BetterSqlite3(join(dataDir, 'formsrv.db'));
			const found = database.prepare("select data ->> 'mark' from submissions").pluck().all() as string[];
			database.close();
			const times = Map.groupBy(found, (mark) => mark);
			const timesOf = (mark: string) => times.get(mark)?.length ?? 0;
			return [
				...acknowledged.filter((mark) => timesOf(mark) !== 1),
				...rejected.filter((mark) => timesOf(mark) !== 0),
			].map((mark) => ({ mark, times: timesOf(mark) }));
		},
	};
}
