/** Comparison with a handwritten backend (`fastify.mjs`), also on a disk with slow syncs. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './processes.ts';
import { jsonPost, openProduct, ROOT, WORK } from './product.ts';
import { type Finding, short } from './report.ts';
import { compete, type Effort, type Entrant } from './rounds.ts';

const CONNECTIONS = 64;
const SLOWER_BY_MS = 4;
/** A library for LD_PRELOAD that delays each sync of a file. */
const SLOW_SYNC = `
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <unistd.h>
	static int slow(const char *name, int fd) {
		usleep(${SLOWER_BY_MS * 1000});
		return ((int (*)(int)) dlsym(RTLD_NEXT, name))(fd);
	}
	int fsync(int fd) { return slow("fsync", fd); }
	int fdatasync(int fd) { return slow("fdatasync", fd); }
`;

/** The folder with its packages, if any. */
export function handwrittenFolder(): string | null {
	const folder = process.env.FASTIFY_FOLDER ?? '';
	const hasBoth = ['fastify', 'better-sqlite3'].every((name) => existsSync(join(folder, 'node_modules', name)));
	return folder !== '' && hasBoth ? folder : null;
}

async function buildSlowSync(): Promise<string> {
	const library = join(WORK, 'slow-sync.so');
	await Bun.$`cc -shared -fPIC -x c -o ${library} - -ldl < ${Buffer.from(SLOW_SYNC)}`;
	return library;
}

interface Contest {
	folder: string;
	effort: Effort;
	name: string;
	/** For all contestants. */
	env?: Record<string, string>;
}

/** Submissions per second of formsrv, and of the handwritten backend with each setting of `synchronous`. */
async function contest(modes: readonly string[], { folder, effort, name, env = {} }: Contest): Promise<number[]> {
	const product = await openProduct(`${name}-own`, env);
	async function openOwn(): Promise<Entrant> {
		const server = await product.start();
		const { slug } = await product.createForm(server, 'Contact');
		return { server, request: jsonPost(`/api/f/${slug}`) };
	}
	async function openOther(mode: string): Promise<Entrant> {
		const command = ['node', join(ROOT, 'bench/fastify.mjs'), join(WORK, `${name}-${mode}.db`), mode];
		return {
			server: await start(command, { env, cwd: folder, log: join(WORK, 'fastify.log') }),
			request: jsonPost('/'),
		};
	}
	const results = await compete(
		[
			{ name: 'formsrv', open: openOwn, connections: CONNECTIONS },
			...modes.map((mode) => ({ name: mode, open: () => openOther(mode), connections: CONNECTIONS })),
		],
		effort,
	);
	return ['formsrv', ...modes].map((contestant) => results.middle(contestant, 'perSecond'));
}

export async function measureAgainstHandwritten(folder: string, effort: Effort): Promise<Finding[]> {
	const [own = 0, full = 0, normal = 0] = await contest(['full', 'normal'], { folder, effort, name: 'handwritten' });
	const env = { LD_PRELOAD: await buildSlowSync() };
	const [slowOwn = 0, slowFull = 0] = await contest(['full'], { folder, effort, name: 'slow-sync', env });
	const finding = (what: string, [a, b]: [number, number], bounds: { must: number; aim: number }): Finding => ({
		what: `Durable submissions per second ÷ Fastify by hand, ${what}`,
		...{ ...bounds, better: 'higher', measured: a / b },
		detail: `${short(a)}/s ÷ ${short(b)}/s`,
	});
	return [
		finding('which syncs each', [own, full], { must: 9, aim: 11 }),
		finding('which does not sync', [own, normal], { must: 2.3, aim: 2.8 }),
		finding(`syncs ${SLOWER_BY_MS} ms slower`, [slowOwn, slowFull], { must: 30, aim: 38 }),
	];
}
