/** Builds `dist/formsrv`: the browser pages first, then one executable that contains them. `--target` is for another system. */

import { cp, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { noScript } from '../src/dashboard/web/sentences/frame.ts';
import { guideFiles } from './guides.ts';
import { createCheck, NotBuilt } from './installed.ts';
import { findRuntime, HEADER_BYTES, headerOf, isTarget, TARGETS, type TargetName } from './targets.ts';

const ROOT = join(import.meta.dir, '..');
const BINARY = 'dist/formsrv';

interface BrowserPage {
	entry: string | string[];
	outdir: string;
	base: string;
	format?: 'iife';
}

/** Split: its first view loads no script of the others. */
export const DASHBOARD: BrowserPage = { entry: 'src/dashboard/web/index.html', outdir: 'dist/ui', base: '/assets/' };

/** The browser pages: their entry, and the folder in which `assetPath` finds them. */
const PAGES: BrowserPage[] = [
	{ entry: 'src/http/api-docs/index.html', outdir: 'dist/api-docs', base: '/docs/' },
	DASHBOARD,
	// Not modules: any page can load them with a plain script element.
	{
		entry: ['src/intake/web/formsrv.ts', 'src/intake/web/altcha.ts'],
		outdir: 'dist/script',
		base: '/',
		format: 'iife',
	},
];

/** Entries of threads; `workerPath` finds them by their path below `src`. */
const WORKERS = ['src/submissions/scans.ts'];

/** The folders in which `assetPath` finds the migrations, and the guides. */
const MIGRATIONS = 'dist/drizzle';
const GUIDES = 'dist/guides';

const COMPRESSIBLE = /\.(?:css|html|js|json|md|svg|txt)$/;

/** The generator of the API document brings the styles of a page that is not served: with what they load, 0.3 MB. */
const WITHOUT_STYLES: Bun.BunPlugin = {
	name: 'without-styles',
	setup(build) {
		build.onLoad({ filter: /\/@scalar\/themes\/dist\/index\.js$/ }, () => ({
			contents: "export const elysiajsTheme = '';",
			loader: 'js',
		}));
	},
};

/** The dashboard's one sentence without script stands in its catalogue, as all others. */
const NO_SCRIPT: Bun.BunPlugin = {
	name: 'no-script',
	setup(build) {
		const rewriter = new HTMLRewriter().on('noscript', {
			element: (element) => void element.setInnerContent(noScript),
		});
		build.onLoad({ filter: /\/dashboard\/web\/index\.html$/ }, async ({ path }) => ({
			contents: rewriter.transform(await Bun.file(path).text()),
			loader: 'html',
		}));
	},
};

const check = createCheck(ROOT);
const NOTED: Bun.BunPlugin = {
	name: 'noted',
	setup(build) {
		build.onLoad({ filter: /\/node_modules\// }, ({ path }) => {
			check.note(path);
			return undefined;
		});
	},
};

/** Bundles a page, without writing a file. */
export async function bundlePage({ entry, base, format }: BrowserPage): Promise<Bun.BuildArtifact[]> {
	const { outputs } = await Bun.build({
		entrypoints: [entry].flat(),
		...(format ? { format } : { splitting: true }),
		minify: true,
		publicPath: base,
		plugins: [NOTED, NO_SCRIPT],
		naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
		define: { 'process.env.NODE_ENV': '"production"' },
	});
	return outputs;
}

/** Texts are stored compressed only, since nearly every browser accepts that. */
async function buildPage(page: BrowserPage): Promise<void> {
	await rm(page.outdir, { recursive: true, force: true });
	for (const output of await bundlePage(page)) {
		await writeAsset(join(page.outdir, output.path), new Uint8Array(await output.arrayBuffer()));
	}
}

async function writeAsset(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
	if (COMPRESSIBLE.test(path)) await Bun.write(`${path}.gz`, Bun.gzipSync(bytes, { level: 9 }));
	else await Bun.write(path, bytes);
}

async function buildGuides(): Promise<void> {
	await rm(GUIDES, { recursive: true, force: true });
	for (const [name, text] of await guideFiles(ROOT))
		await writeAsset(join(GUIDES, name), new TextEncoder().encode(text));
}

/** Without the snapshots of the tables, a megabyte, from which only the next migration is made. */
async function copyMigrations(): Promise<void> {
	await rm(MIGRATIONS, { recursive: true, force: true });
	await cp('drizzle', MIGRATIONS, { recursive: true, filter: (path) => !basename(path).endsWith('_snapshot.json') });
}

/** @throws NotBuilt if the Bun of the target cannot be had */
async function compileTarget(name: TargetName) {
	const executablePath = await findRuntime(name);
	if (executablePath === undefined) throw new NotBuilt(`Not built: ${TARGETS[name].runtime} cannot be had.`);
	return { target: TARGETS[name].compile, executablePath };
}

/**
 * Compiles the program, by default for this machine. The pages have to be there.
 * @returns the packages that it contains, by their paths in `bun.lock`
 */
export async function buildBinary({ target, outfile }: { target?: TargetName; outfile: string }): Promise<string[]> {
	await copyMigrations();
	await Bun.build({
		entrypoints: ['src/main.ts', ...WORKERS],
		minify: true,
		// Bytecode without ESM means CommonJS, where `import.meta.dir` is a path of the build machine.
		bytecode: true,
		// Deeper functions are compiled when they are called: no slower for a start or the first submission, and 0.3 MB less.
		bytecodeDepth: 3,
		plugins: [NOTED, WITHOUT_STYLES],
		// Dynamic imports become files of their own; in one file their imports would be evaluated first.
		splitting: true,
		format: 'esm',
		define: { 'process.env.NODE_ENV': '"production"' },
		compile: {
			outfile,
			...(target && (await compileTarget(target))),
			assets: [MIGRATIONS, GUIDES, ...PAGES.map(({ outdir }) => outdir)],
			// Files in the working directory must not change what the program runs.
			autoloadDotenv: false,
			autoloadBunfig: false,
			autoloadTsconfig: false,
			autoloadPackageJson: false,
		},
	});
	try {
		if (target) await checkHeader(outfile, TARGETS[target].header);
		return check.finish();
	} catch (error) {
		await rm(outfile);
		throw error;
	}
}

async function checkHeader(outfile: string, wanted: string): Promise<void> {
	const header = headerOf(await Bun.file(outfile).slice(0, HEADER_BYTES).bytes());
	if (header !== wanted) throw new NotBuilt(`Not built: the program is for ${header} rather than ${wanted}.`);
}

export async function buildPages(): Promise<void> {
	await Promise.all([buildGuides(), ...PAGES.map(buildPage)]);
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			outfile: { type: 'string', default: BINARY },
			/** Such as `linux-arm64`; by default that of this machine. */
			target: { type: 'string' },
			'pages-only': { type: 'boolean', default: false },
		},
	});
	const { outfile, target } = values;
	if (target !== undefined && !isTarget(target))
		throw new NotBuilt(`Not built: the target is one of ${Object.keys(TARGETS).join(', ')}.`);
	process.chdir(ROOT);
	await buildPages();
	if (values['pages-only']) return;
	await buildBinary({ outfile, target });
	const { size } = await stat(outfile);
	console.log(`${outfile}  ${(size / 1e6).toFixed(1)} MB`);
}

if (import.meta.main) {
	await main().catch((error: Error) => {
		console.error(error instanceof NotBuilt ? error.message : error);
		process.exitCode = 1;
	});
}
