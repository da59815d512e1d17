/**
 * A chain of lives of one installation: a server is started on what the one before left on the disk, works, fails, and ends by a kill or
 * a power cut. After each the disk is compared with all that clients were told.
 */

import { Database } from 'bun:sqlite';
import { closeSync, cpSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningBinary, runBinary, startBinary } from '../binary.ts';
import { type Random, seeded } from '../seeded.ts';
import { type Disk, FAULTS, openDisk, type Rates } from './disk.ts';
import { createHistory, type FoundRow, NEVER, type Slug } from './history.ts';
import { checkImage } from './image.ts';
import { post, type Service, startLoad } from './load.ts';
import { createPlatter, type Lie, type Luck, type Platter } from './platter.ts';
import type { Receiver } from './receiver.ts';
import { checkServed } from './served.ts';

const SETTINGS = {
	FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
	FORMSRV_RATE_SUBMIT: '0',
	FORMSRV_RATE_API: '0',
	FORMSRV_LOG_LEVEL: 'error',
};
/** Calls until the process is killed inside one, at most; during a start and at the end of a life. */
const KILL_WITHIN = { start: 200, load: 400 };
const MAX_SYNC_MICROS = 3000;
const START_WITHIN_MS = 60_000;
const GONE_WITHIN_MS = 60_000;
const DELIVERED_WITHIN_MS = 90_000;
const NO_LUCK: Luck = { sectors: 0, names: 0 };
const LUCK = [0, 0.1, 0.5, 0.9, 1];
/** Deliveries in flight to a webhook, each of which may arrive again after a cut. */
const IN_FLIGHT = 2;
const ENDS = ['kill', 'kill', ...Array<'power cut'>(7).fill('power cut'), 'power cut in the start'] as const;

/** The beginning of an installation. */
export interface Template {
	folder: string;
	key: string;
	forms: Record<Slug, string>;
}

export async function makeTemplate(cwd: string, webhook: string): Promise<Template> {
	const command = async (...args: string[]) => {
		const { code, stdout, stderr } = await runBinary(args, { cwd, env: SETTINGS });
		if (code !== 0) throw new Error(`formsrv ${args.join(' ')}: ${stderr}`);
		return stdout.trim();
	};
	const create = async (slug: Slug) => {
		const shown = await command('forms', 'create', slug, '--slug', slug, '--spam', 'off', '--json');
		return (JSON.parse(shown) as { id: string }).id;
	};
	const forms = { plain: await create('plain'), told: await create('told') };
	const key = await command('keys', 'create');
	await using server = await startBinary({ cwd, env: SETTINGS });
	const response = await fetch(`${server.baseUrl}/api/forms/${forms.told}/webhooks`, {
		method: 'POST',
		headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
		body: JSON.stringify({ url: webhook }),
	});
	if (!response.ok) throw new Error(await response.text());
	await server.end('SIGTERM');
	return { folder: join(cwd, 'formsrv-data'), key, forms };
}

export interface ChainOptions {
	template: Template;
	receiver: Receiver;
	/** An empty folder. */
	folder: string;
	seed: number;
	/** Submissions that are acknowledged in each life. */
	perLife: number;
	/** Further cuts of each recording, at other moments. */
	sideCuts: number;
}

export interface Life {
	seed: number;
	end: 'kill' | 'power cut' | 'power cut in the start' | 'none';
	acknowledged: number;
	cuts: number;
	statuses: ReadonlyMap<number, number>;
	faults: readonly (readonly [string, number])[];
	problems: string[];
}

export type Chain = ReturnType<typeof createChain>;

export function createChain({ template, receiver, folder, seed, perLife, sideCuts }: ChainOptions) {
	const history = createHistory();
	const isFaulty = seed % 2 === 0;
	let root = join(folder, '0', 'data');
	let lives = 0;
	let numbers = 0;
	let rows: readonly FoundRow[] = [];
	let running: RunningBinary | undefined;
	mkdirSync(join(folder, '0'));
	cpSync(template.folder, root, { recursive: true });
	receiver.listenFor(history);

	async function start(env: Record<string, string> = {}) {
		const log = openSync(join(folder, 'log'), 'a');
		try {
			const server = await startBinary({
				cwd: folder,
				env: { ...SETTINGS, FORMSRV_DATA_DIR: root, ...env },
				stderr: log,
				startWithinMs: START_WITHIN_MS,
			});
			running = server;
			return { ...server, key: template.key, forms: template.forms };
		} finally {
			closeSync(log);
		}
	}

	/** Submissions without a response are sent again by those who can. */
	async function sendAgain(service: Service, position: () => number): Promise<string[]> {
		const problems: string[] = [];
		for (const one of history.unsettled()) {
			const status = await post(one, { service, position });
			if (status !== 200) problems.push(`submission ${one.n}, sent again, got ${status}`);
		}
		return problems;
	}

	/** Compares what is on the disk with what was told, in a copy. */
	async function check(place: string, random?: Random): Promise<string[]> {
		const copy = join(place, 'copy');
		cpSync(root, copy, { recursive: true });
		const found = await checkImage(copy, history, { random });
		rmSync(copy, { recursive: true });
		rows = found.rows;
		history.settle(rows);
		return found.problems;
	}

	/** One server from its start to its end under load. Resolves once its process is gone. */
	async function work(disk: Disk, random: Random, end: Life['end']) {
		if (end === 'power cut in the start') disk.killIn(1 + random(KILL_WITHIN.start));
		const service = await start(disk.env).catch((error) => {
			if (end !== 'power cut in the start') throw error;
		});
		const loadedAt = disk.position();
		if (!service) return { loadedAt, acknowledged: 0, statuses: new Map<number, number>(), problems: [] };
		const problems: string[] = [];
		if (end !== 'power cut in the start') {
			problems.push(...(await checkServed(service, rows)));
			problems.push(...(await sendAgain(service, disk.position)));
		}
		const nextNumber = () => ++numbers;
		const load = startLoad({ service, history, position: disk.position, random, nextNumber });
		const rates = isFaulty ? ratesOf(random) : {};
		await load.goOn(perLife, async () => {
			await Bun.sleep(10 + random(40));
			disk.setRates(rates);
			await Bun.sleep(random(isFaulty ? 60 : 1));
			disk.setRates({});
		});
		if (end !== 'kill') disk.killIn(1 + random(KILL_WITHIN.load));
		const timer = setTimeout(() => service.end('SIGKILL'), end === 'kill' ? random(20) : GONE_WITHIN_MS);
		await load.gone();
		clearTimeout(timer);
		await service.end('SIGKILL');
		return { loadedAt, acknowledged: load.acknowledged(), statuses: load.statuses, problems };
	}

	/** Goes through the recording, and cuts the power at some moments on the way. */
	async function replay(
		disk: Disk,
		platter: Platter,
		{ random, place, loadedAt }: { random: Random; place: string; loadedAt: number },
	) {
		const length = disk.position() - loadedAt;
		const moments = Array.from({ length: sideCuts }, () => loadedAt + random(length)).sort((a, b) => a - b);
		const problems: string[] = [];
		for (const record of disk.records()) {
			while (record.at >= (moments[0] ?? NEVER)) {
				const image = join(place, 'image');
				platter.cut(image, luckOf(random));
				const found = await checkImage(image, history, { at: moments.shift() });
				problems.push(...found.problems.map((problem) => `cut at ${record.at}: ${problem}`));
				rmSync(image, { recursive: true });
			}
			platter.apply(record);
		}
		return problems;
	}

	return {
		/** @param lie The disk tells it, and loses all that it may at the power cut. */
		async live(lie?: Lie): Promise<Life> {
			const lifeSeed = seed * 1000 + lives;
			const random = seeded(lifeSeed);
			const place = join(folder, `${++lives}`);
			mkdirSync(place);
			const recording = join(place, 'recording');
			const disk = openDisk({ folder: root, recording, seed: lifeSeed });
			disk.setSyncTime(random(MAX_SYNC_MICROS));
			receiver.setPosition(disk.position);
			const platter = createPlatter(root, random, lie);
			const end = lie ? 'power cut' : (ENDS[random(ENDS.length)] as Life['end']);
			const { loadedAt, acknowledged, statuses, problems } = await work(disk, random, end);
			problems.push(...(await replay(disk, platter, { random, place, loadedAt })));
			if (end !== 'kill') {
				problems.push(...platter.differences(root).map((name) => `not recorded: ${name}`));
				root = join(place, 'data');
				platter.cut(root, lie ? NO_LUCK : luckOf(random));
			}
			problems.push(...(await check(place)));
			if (problems.length === 0) rmSync(recording);
			return { seed: lifeSeed, end, acknowledged, cuts: sideCuts, statuses, faults: disk.faults(), problems };
		},
		/** To be called when an error came up. */
		stop: async () => void (await running?.end('SIGKILL')),
		/** A server without faults: what is due happens. Returns problems. */
		async finish(): Promise<string[]> {
			const service = await start();
			receiver.setPosition(() => 0);
			const problems = await checkServed(service, rows);
			problems.push(...(await sendAgain(service, () => 0)));
			const told = rows.filter(({ slug }) => slug === 'told');
			const database = new Database(join(root, 'formsrv.db'), { readonly: true });
			const isBusy = () =>
				told.some(({ n }) => !receiver.hasArrived(n)) || database.query('select 1 from removed_files').get() !== null;
			const giveUpAt = performance.now() + DELIVERED_WITHIN_MS;
			while (isBusy() && performance.now() < giveUpAt) await Bun.sleep(50);
			if (isBusy()) problems.push('not every webhook request arrived, or not every file without a row is gone');
			database.close();
			await service.end('SIGTERM');
			for (const n of receiver.mixed()) problems.push(`submission ${n} arrived under several ids`);
			if (!isFaulty && receiver.repeated() > lives * IN_FLIGHT)
				problems.push(`${receiver.repeated()} requests were repeated`);
			problems.push(...(await check(folder, seeded(seed))));
			return problems;
		},
	};
}

function ratesOf(random: Random): Rates {
	const rates: Rates = {};
	for (const fault of FAULTS)
		if (random(3) === 0) rates[fault] = Math.round(10 ** (2 + random(fault === 'read fails' ? 10 : 35) / 10));
	return rates;
}

function luckOf(random: Random): Luck {
	return { sectors: LUCK[random(LUCK.length)] as number, names: LUCK[random(LUCK.length)] as number };
}
