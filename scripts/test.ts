/**
 * `bun run test`: builds the program; runs all tests, and beside or after them those of features on PostgreSQL; then names the slowest
 * files, the tests that were tried again, and the programs that this machine lacks for some tests.
 */

import { availableParallelism } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { findChromium } from '../test/chromium.ts';
import { missingPrograms } from '../test/programs.ts';
import { openRunFolder } from '../test/run-folder.ts';
import { type Block, type FileTime, readBlocks, readReport, retriedIn, unhandledIn } from './test-output.ts';

/** Limit of each test and hook: a busy machine is slow, and bunfig.toml cannot set it. */
const TIMEOUT_MS = 30_000;
const ROOT = join(import.meta.dir, '..');
/** The module that opens databases of either engine. */
const ENGINE = 'test/engine.ts';
/** Tests of a file, of an engine by its name, or of what knows no engine; docs/architecture.md says which. */
const ONE_ENGINE = [
	/^test\/(?:backup|durability|storage)\//,
	/^test\/cli\/(?:backup|doctor|doctor-files|move|run|serve|unread-log)\.test/,
	/^test\/dashboard\/(?!story|inbox)[^/]+\.test/,
	/list-plans/,
	/^test\/hostile\/framing\.test/,
	/^test\/submissions\/export\/spreadsheet\.test/,
	/^test\/intake\/(?:aliases|checks\/altcha-widget|pages\/correction-page)\.test/,
	/^test\/dashboard\/sessions\/single-sign-on\.test/,
];

/** The files whose tests have a database of either engine: those that lead to `test/engine.ts`. */
async function testsOfBothEngines(): Promise<string[]> {
	const paths = [...new Bun.Glob('test/**/*.ts').scanSync(ROOT)];
	const read = async (path: string): Promise<[string, string[]]> => {
		const text = await Bun.file(join(ROOT, path)).text();
		const names = [...text.matchAll(/from '(\.[^']+)'/g)].map(([, name]) => `${name}`);
		return [path, names.map((name) => relative(ROOT, join(ROOT, dirname(path), name)))];
	};
	const imports = new Map(await Promise.all(paths.map(read)));
	const leads = (path: string, seen = new Set<string>()): boolean => {
		if (path === ENGINE) return true;
		if (seen.has(path)) return false;
		seen.add(path);
		return (imports.get(path) ?? []).some((next) => leads(next, seen));
	};
	return paths
		.filter((path) => path.endsWith('.test.ts') && !ONE_ENGINE.some((pattern) => pattern.test(path)) && leads(path))
		.sort();
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' };
const CORES = availableParallelism();
/** Side by side only where each engine has its cores: elsewhere a run that is longer is better than a test that is late. */
const IS_SIDE_BY_SIDE = CORES >= 4;
/** Processes for each engine: tests wait more than they compute. More than one also makes hooks run behind each file. */
const WORKERS = IS_SIDE_BY_SIDE ? Math.floor(CORES / 2) : 4;
/**
 * Freed memory is kept for a second, instead of being given back piece by piece within a tenth: a virtual machine takes long to get it again,
 * a fifth of all processor time of the tests.
 */
const KEEPS_MEMORY = { MIMALLOC_PURGE_HOLES: '0', MIMALLOC_PURGE_DELAY: '1000' };
const OUTFILE = '--reporter-outfile=';
const SLOWEST = 10;

interface Outcome {
	exitCode: number;
	retried: string[];
	unhandled: string[];
	times: FileTime[];
}

/** @param args options and files for `bun test` */
async function runTests(engine: keyof typeof ENGINES, args: readonly string[], run: string): Promise<Outcome> {
	const outfile = args.find((arg) => arg.startsWith(OUTFILE))?.slice(OUTFILE.length) ?? `${run}/junit.xml`;
	const report = engine === 'sqlite' ? outfile : outfile.replace(/\.xml$/, `-${engine}.xml`);
	const others = args.filter((arg) => !arg.startsWith('--reporter'));
	const options = ['--timeout', `${TIMEOUT_MS}`, `--parallel=${WORKERS}`, '--no-isolate'];
	const reporter = ['--reporter=junit', `${OUTFILE}${report}`];
	const child = Bun.spawn([process.execPath, 'test', ...options, ...reporter, ...others], {
		env: { ...process.env, ...KEEPS_MEMORY, FORMSRV_TEST_ENGINE: engine, FORMSRV_TEST_RUN: run, TMPDIR: run },
		stdin: 'ignore',
		stdout: 'ignore',
		stderr: 'pipe',
	});
	const blocks: Block[] = [];
	for await (const block of readBlocks(child.stderr)) {
		console.error([`${ENGINES[engine]}, ${block.title}`, ...block.lines].join('\n'));
		blocks.push(block);
	}
	const of = (text: string) => `${ENGINES[engine]}, ${text}`;
	const retried = blocks.flatMap(retriedIn);
	const unhandled = blocks.flatMap((block) => [...unhandledIn(block)]);
	const exitCode = await child.exited;
	const { failures, times } = await readReport(report);
	// A first attempt that is late goes on behind its end, and its errors belong to no test. The next attempt decides.
	const titles = new Set(blocks.filter((block) => retriedIn(block).length > 0).map(({ title }) => title));
	const isLate = (text: string) => titles.has(text.split('\n', 1)[0] ?? '');
	const hasPassed = exitCode === 1 && failures === 0 && unhandled.length > 0 && unhandled.every(isLate);
	return {
		exitCode: hasPassed ? 0 : exitCode,
		retried: retried.map(of),
		unhandled: unhandled.map(of),
		times: times.map(({ file, seconds }) => ({ file: of(file), seconds })),
	};
}

function* summary(outcomes: readonly Outcome[]): Generator<string> {
	const slowest = outcomes.flatMap(({ times }) => times).sort((a, b) => b.seconds - a.seconds);
	yield 'The slowest files:';
	for (const { file, seconds } of slowest.slice(0, SLOWEST)) yield `${seconds.toFixed(1).padStart(7)} s  ${file}`;
	const retried = outcomes.flatMap((outcome) => outcome.retried);
	yield retried.length === 0 ? 'No test was tried again.' : 'Tests that passed only when they were tried again:';
	for (const name of retried) yield `  ${name}`;
	const unhandled = outcomes.flatMap((outcome) => outcome.unhandled);
	if (unhandled.length > 0)
		yield 'Errors outside of the tests, which fail the run unless a test of the file was tried again:';
	yield* unhandled;
	yield* missingPrograms();
}

const built = await Bun.$`bun run build`.nothrow();
if (built.exitCode !== 0) process.exit(built.exitCode);
// Unpacked before the tests, which have time limits.
await findChromium();
const folder = openRunFolder();
const args = process.argv.slice(2);
const isPart = args.some((arg) => !arg.startsWith('-'));
const onSqlite = runTests('sqlite', args, folder.path);
if (!IS_SIDE_BY_SIDE) await onSqlite;
const runs = [onSqlite];
if (!isPart) runs.push(runTests('postgres', [...args, ...(await testsOfBothEngines())], folder.path));
const outcomes = await Promise.all(runs);
await folder.close();
for (const line of summary(outcomes)) console.error(line);
process.exitCode = Math.max(...outcomes.map(({ exitCode }) => exitCode));
