/** Builds `dist/formsrv`: the browser pages first, then one executable that contains them. */

import { existsSync } from 'node:fs';
import { cp, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createCheck, NotAsLocked } from './installed.ts';

const ROOT = join(import.meta.dir, '..');
const BINARY = 'dist/formsrv';

interface BrowserPage {
	entry: string | string[];
	outdir: string;
	base: string;
	format?: 'iife';
}

/** The browser pages: their entry, and the folder in which `assetPath` finds them. */
const PAGES: BrowserPage[] = [
	{ entry: 'src/http/api-docs/index.html', outdir: 'dist/api-docs', base: '/docs/' },
	{ entry: 'src/dashboard/web/index.html', outdir: 'dist/ui', base: '/assets/' },
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

/** The folder in which `assetPath` finds the migrations. */
const MIGRATIONS = 'dist/drizzle';

const COMPRESSIBLE = /\.(?:css|html|js|json|svg|txt)$/;

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

/** Bundles a page; texts are stored compressed only, since nearly every browser accepts that. */
async function buildPage({ entry, outdir, base, format }: BrowserPage): Promise<void> {
	await rm(outdir, { recursive: true, force: true });
	const { outputs } = await Bun.build({
		entrypoints: [entry].flat(),
		...(format && { format }),
		minify: true,
		publicPath: base,
		plugins: [NOTED],
		naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
		define: { 'process.env.NODE_ENV': '"production"' },
	});
	for (const output of outputs) {
		const path = join(outdir, output.path);
		const bytes = new Uint8Array(await output.arrayBuffer());
		if (COMPRESSIBLE.test(path)) await Bun.write(`${path}.gz`, Bun.gzipSync(bytes, { level: 9 }));
		else await Bun.write(path, bytes);
	}
}

/** Without the snapshots of the tables, a megabyte, from which only the next migration is made. */
async function copyMigrations(): Promise<void> {
	await rm(MIGRATIONS, { recursive: true, force: true });
	await cp('drizzle', MIGRATIONS, { recursive: true, filter: (path) => !basename(path).endsWith('_snapshot.json') });
}

async function buildBinary({ target, outfile, assets }: { target?: string; outfile: string; assets: string[] }) {
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
			...(target && { target: target as Bun.Build.CompileTarget }),
			assets,
			// Files in the working directory must not change what the program runs.
			autoloadDotenv: false,
			autoloadBunfig: false,
			autoloadTsconfig: false,
			autoloadPackageJson: false,
		},
	});
}

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			outfile: { type: 'string', default: BINARY },
			/** Such as `bun-linux-arm64`; by default that of this machine. */
			target: { type: 'string' },
			'pages-only': { type: 'boolean', default: false },
		},
	});
	process.chdir(ROOT);
	const pages = PAGES.filter(({ entry }) => [entry].flat().every(existsSync));
	await Promise.all(pages.map(buildPage));
	if (values['pages-only']) return;
	await copyMigrations();
	await buildBinary({ ...values, assets: [MIGRATIONS, ...pages.map(({ outdir }) => outdir)] });
	try {
		check.finish();
	} catch (error) {
		await rm(values.outfile);
		throw error;
	}
	const { size } = await stat(values.outfile);
	console.log(`${values.outfile}  ${(size / 1e6).toFixed(1)} MB`);
}

await main().catch((error: Error) => {
	console.error(error instanceof NotAsLocked ? error.message : error);
	process.exitCode = 1;
});
