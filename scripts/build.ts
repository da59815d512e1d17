/** Builds `dist/formsrv`: the two browser pages first, then one executable that holds everything. */

import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dir, '..');
const BINARY = 'dist/formsrv';

/** Everything for browsers: its entry, and the folder that `assetPath` finds it under. */
const PAGES = [
	{ entry: 'src/http/api-docs/index.html', outdir: 'dist/api-docs', base: '/docs/' },
	{ entry: 'src/dashboard/web/index.html', outdir: 'dist/ui', base: '/assets/' },
	// Not a module: any page may load it by a plain script element.
	{ entry: 'src/intake/web/formsrv.ts', outdir: 'dist/script', base: '/', format: 'iife' as const },
];

/** What runs in threads of its own; `workerPath` finds it by its path below `src`. */
const WORKERS = ['src/submissions/scans.ts'];

const COMPRESSIBLE = /\.(?:css|html|js|json|svg|txt)$/;

/** Bundles a page; text is kept compressed only, which is how nearly every browser asks for it. */
async function buildPage({ entry, outdir, base, format }: (typeof PAGES)[number]): Promise<void> {
	await rm(outdir, { recursive: true, force: true });
	const { outputs } = await Bun.build({
		entrypoints: [entry],
		...(format && { format }),
		minify: true,
		publicPath: base,
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

async function buildBinary({ target, outfile, assets }: { target?: string; outfile: string; assets: string[] }) {
	await Bun.build({
		entrypoints: ['src/main.ts', ...WORKERS],
		minify: true,
		// Bytecode alone means CommonJS, where `import.meta.dir` is a path of the building machine.
		bytecode: true,
		// What is imported with `await` becomes a file of its own; in one file with the rest its imports would come first.
		splitting: true,
		format: 'esm',
		define: { 'process.env.NODE_ENV': '"production"' },
		compile: {
			outfile,
			...(target && { target: target as Bun.Build.CompileTarget }),
			assets,
			// Until `main.ts` says that the start is over: code that runs once is not worth the time and memory.
			jitPolicy: 16,
			// The folder that an operator starts the program in must not decide what it runs or how.
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
			/** Such as `bun-linux-arm64`; this machine's by default. */
			target: { type: 'string' },
			'pages-only': { type: 'boolean', default: false },
		},
	});
	process.chdir(ROOT);
	const pages = PAGES.filter(({ entry }) => existsSync(entry));
	await Promise.all(pages.map(buildPage));
	if (values['pages-only']) return;
	await buildBinary({ ...values, assets: ['drizzle', ...pages.map(({ outdir }) => outdir)] });
	const { size } = await stat(values.outfile);
	console.log(`${values.outfile}  ${(size / 1e6).toFixed(1)} MB`);
}

await main();
