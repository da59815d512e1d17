/** Commands that are ended by SIGKILL at each of their system calls, and what a server says afterwards. */

import { expect } from 'bun:test';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { runBinary, startBinary } from '../binary.ts';
import { killAt, listPoints, type Point } from '../kill-at.ts';
import { tempFolder } from '../temp-folder.ts';

/** Only every n-th of many similar points is tried; 1 tries all, which takes minutes. */
const STRIDE = Number(process.env.KILL_STRIDE ?? 24);
const ALIKE = ['openat', 'pwrite64', 'write'];

export const WITHIN_MS = STRIDE < 24 ? 1_800_000 : 300_000;
export const NOISE = { FORMSRV_LOG_LEVEL: 'error' };

function chosen(points: Point[]): Point[] {
	const isBetweenAlike = ({ call, after }: Point) => ALIKE.includes(call) && ALIKE.includes(after);
	return points.filter((point, i) => !isBetweenAlike(point) || i % STRIDE === 0);
}

/** Starts the server and ends it. Returns the reason if it did not start. */
export async function serveOnce(cwd: string): Promise<string | undefined> {
	const env = { ...NOISE, FORMSRV_PORT: '0', FORMSRV_SUBMIT_PORT: '0' };
	const reason = Promise.withResolvers<string | undefined>();
	startBinary({ cwd, env }).then(
		async (server) => {
			expect(await server.end('SIGTERM')).toBe(0);
			reason.resolve(undefined);
		},
		async () => {
			const { code, stderr } = await runBinary(['serve'], { cwd, env });
			expect(code).toBe(1);
			reason.resolve(stderr);
		},
	);
	return reason.promise;
}

/** Without a complaint; settings that the killed server had and the command has not may be named. */
export async function restore(cwd: string, ...args: string[]): Promise<void> {
	const { code, stderr } = await runBinary(['restore', ...args], { cwd });
	expect({ code, stderr: stderr.replace(/^A backup holds no settings\..*\n/, '') }).toEqual({ code: 0, stderr: '' });
}

/** Follows the instructions of a server that does not start. */
export async function followTheWayBack(cwd: string, sentence: string): Promise<void> {
	expect(sentence.trimEnd().split('\n')).toHaveLength(1);
	const [, copy = ''] = /'formsrv restore (.+?)'/.exec(sentence) ?? [];
	expect({ sentence, isThere: existsSync(copy) }).toEqual({ sentence, isThere: true });
	await restore(cwd, copy);
	expect(await serveOnce(cwd)).toBeUndefined();
}

export interface Trial {
	args: string[];
	/** The paths of the points. */
	about: RegExp;
	/** Another program's work during the command; returns a function that ends it. */
	meanwhile?: (cwd: string) => () => void;
	/** Inspects the state after the interruption, and returns its name. */
	expectAll: (cwd: string) => Promise<string>;
}

/** Interrupts a command at each point, each time in a fresh copy of an installation. Returns the states. */
export async function atEach(installation: string, { args, about, meanwhile, expectAll }: Trial): Promise<Set<string>> {
	const outcomes = new Set<string>();
	async function inCopy(use: (cwd: string) => Promise<unknown>): Promise<string> {
		const cwd = tempFolder();
		cpSync(installation, cwd, { recursive: true });
		const end = meanwhile?.(cwd);
		await use(cwd).finally(end);
		return cwd;
	}
	let points: Point[] = [];
	await inCopy(async (cwd) => {
		points = chosen(await listPoints(args, { cwd, about }));
	});
	for (const point of points) {
		const cwd = await inCopy((folder) => killAt(point, args, { cwd: folder }));
		try {
			outcomes.add(await expectAll(cwd));
		} catch (error) {
			throw new Error(`After an end at ${point.shown}: ${(error as Error).message}`, { cause: error });
		}
		rmSync(cwd, { recursive: true });
	}
	return outcomes;
}
