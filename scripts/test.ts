/**
 * `bun run test`: builds the program, runs all tests, those of features again on PostgreSQL, and lists the programs that this
 * machine lacks for some of them.
 */

import { dirname, join, relative } from 'node:path';
import { findChromium } from '../test/chromium.ts';
import { missingPrograms } from '../test/programs.ts';

/** Of each test and hook: a busy machine is slow, and bunfig.toml cannot say it. */
const TIMEOUT_MS = 30_000;
const ROOT = join(import.meta.dir, '..');
/** What opens databases of either engine. */
const ENGINE = 'test/engine.ts';
/** Tests of a file, or of an engine by its name; docs/architecture.md says which. */
const ONE_ENGINE =
	/^test\/(?:backup|durability|storage)\/|^test\/cli\/(?:backup|doctor|doctor-files|move|run|serve|unread-log)\.test|list-plans/;

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
	return paths.filter((path) => path.endsWith('.test.ts') && !ONE_ENGINE.test(path) && leads(path)).sort();
}

async function runTests(engine: 'sqlite' | 'postgres', args: readonly string[]): Promise<number> {
	const { exitCode } = await Bun.$`bun test --timeout ${TIMEOUT_MS} ${args}`
		.env({ ...process.env, FORMSRV_TEST_ENGINE: engine })
		.nothrow();
	return exitCode;
}

const built = await Bun.$`bun run build`.nothrow();
if (built.exitCode !== 0) process.exit(built.exitCode);
// Unpacked before the tests, which have time limits.
await findChromium();
const args = process.argv.slice(2);
const named = args.filter((arg) => !arg.startsWith('-'));
let exitCode = await runTests('sqlite', args);
if (named.length === 0) {
	console.error('\nOn PostgreSQL:\n');
	const options = args.map((arg) => arg.replace(/^(--reporter-outfile=.*)\.xml$/, '$1-postgres.xml'));
	const onPostgres = await runTests('postgres', [...options, ...(await testsOfBothEngines())]);
	exitCode = exitCode || onPostgres;
}
for (const line of missingPrograms()) console.error(line);
process.exitCode = exitCode;
