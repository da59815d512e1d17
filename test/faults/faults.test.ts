/**
 * Nothing acknowledged is lost, doubled or changed on a disk that fails, tears and loses what was not synced. `bun run test:faults` goes on
 * for a quarter of an hour; FAULT_SEED repeats what was decided by chance.
 */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withProgram } from '../programs.ts';
import { createChain, type Life, makeTemplate, type Template } from './chain.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { createTally } from './tally.ts';

/** `disk.c` knows one kind of processor. */
const isPossible = !withProgram('cc').isMissing && process.arch === 'x64';
const testHere = test.skipIf(!isPossible);
const SEED = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 1e6));
const SECONDS = Number(process.env.FAULT_SECONDS ?? 0);
const LEAST_RUNS = Number(process.env.FAULT_RUNS ?? 6);
const isLong = SECONDS > 0 || process.env.FAULT_RUNS !== undefined;
const PER_LIFE = Number(process.env.FAULT_SUBMISSIONS ?? (isLong ? 500 : 150));
const LIVES = 8;
const SIDE_CUTS = 3;
const LIED_TO = 150;
/** Few submissions have files: a life may end before one of them is acknowledged. */
const LIES_WITHIN_LIVES = 5;
/** Folders of runs that failed are kept there. */
const KEPT = join(import.meta.dir, '../../dist/faults');

let folder: string;
let receiver: Receiver;
let template: Template;
beforeAll(async () => {
	if (!isPossible) return;
	folder = mkdtempSync(join(tmpdir(), 'formsrv-faults-'));
	receiver = startReceiver();
	template = await makeTemplate(folder, receiver.url);
}, 120_000);
afterAll(async () => {
	await receiver?.stop();
	if (folder) rmSync(folder, { recursive: true });
});

function openChain(seed: number, options: { perLife: number; sideCuts: number }) {
	const place = mkdtempSync(join(folder, `${seed}-`));
	return { place, ...createChain({ template, receiver, folder: place, seed, ...options }) };
}

/** Says which seed failed, and keeps what is needed to look at it. */
function expectNone({ seed, end, problems }: Pick<Life, 'seed' | 'end' | 'problems'>, place: string): void {
	if (problems.length > 0) cpSync(place, join(KEPT, `${seed}`), { recursive: true });
	expect({ seed, end, problems }).toEqual({ seed, end, problems: [] });
}

testHere(
	`servers that end by a kill or a power cut on a simulated disk (FAULT_SEED=${SEED})`,
	async () => {
		const tally = createTally();
		const endAt = performance.now() + SECONDS * 1000;
		for (let seed = SEED; tally.runs() < LEAST_RUNS || performance.now() < endAt; seed++) {
			const chain = openChain(seed, { perLife: PER_LIFE, sideCuts: SIDE_CUTS });
			try {
				for (let i = 0; i < Math.min(LIVES, isLong ? LIVES : LEAST_RUNS); i++) {
					const life = await chain.live();
					expectNone(life, chain.place);
					tally.add(life);
				}
				expectNone({ seed, end: 'none', problems: await chain.finish() }, chain.place);
			} finally {
				await chain.stop();
			}
			rmSync(chain.place, { recursive: true });
			if (isLong) console.info(tally.sentence());
		}
	},
	(SECONDS + LEAST_RUNS * 60) * 1000 + 300_000,
);

testHere.each([
	['files', /submission \d+ is lost/],
	['folders', /file \w+ is lost/],
] as const)(
	'a server that would not sync its %s is found out',
	async (lie, loss) => {
		const chain = openChain(lie === 'files' ? -1 : -3, { perLife: LIED_TO, sideCuts: 0 });
		let problems = '';
		for (let life = 0; life < LIES_WITHIN_LIVES && !loss.test(problems); life++) {
			problems = (await chain.live(lie)).problems.join('\n');
		}
		expect(problems).toMatch(loss);
	},
	300_000,
);
