/** The shape of the source tree: who may import whom, and what may be named where. */

import { describe, expect, test } from 'bun:test';
import { dirname, join, normalize } from 'node:path';
import { text } from 'node:stream/consumers';
import { drawLayers, LAYERS } from './layers.ts';

const ROOT = join(import.meta.dir, '..');

interface Source {
	path: string;
	text: string;
	imports: string[];
}

const sources: Source[] = await Promise.all(
	[...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(ROOT)].sort().map(async (path) => {
		const text = await Bun.file(join(ROOT, path)).text();
		return {
			path,
			text,
			imports: [...text.matchAll(/(?:\bfrom|\bimport|\brequire)[\s(]+'([^']+)'/g)].map(([, name]) => `${name}`),
		};
	}),
);

const unitOf = (path: string) => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';
const levelOf = (path: string) => LAYERS.findIndex(({ units }) => units.includes(unitOf(path)));
const resolve = (from: Source, name: string) => normalize(join(dirname(from.path), name));
const isRoutes = (path: string) => path.endsWith('/routes.ts');

const ownImports = sources.flatMap((source) =>
	source.imports
		.filter((name) => name.startsWith('.'))
		.map((name) => ({ from: source.path, to: resolve(source, name) })),
);

const isEngine = (path: string) => /^src\/storage\/(?:sqlite|postgres)\//.test(path);
const pathsWhere = (holds: (source: Source) => boolean) => sources.filter(holds).map(({ path }) => path);

describe('the source tree', () => {
	test('consists of units that the layers know', () => {
		expect(pathsWhere(({ path }) => levelOf(path) < 0)).toEqual([]);
	});

	test('imports in one direction', () => {
		const wrong = ownImports.filter(({ from, to }) => {
			const mayAuthorise = isRoutes(from) && to === 'src/keys/auth.ts';
			return to.startsWith('src/') && unitOf(from) !== unitOf(to) && levelOf(to) <= levelOf(from) && !mayAuthorise;
		});
		expect(wrong).toEqual([]);
	});

	test('is drawn in the documentation as it is tested', async () => {
		expect(await Bun.file(join(ROOT, 'docs/architecture.md')).text()).toContain(`\`\`\`\n${drawLayers()}\n\`\`\``);
	});

	test('imports nothing of its own from outside src, package.json apart', () => {
		const outside = ownImports.filter(({ to }) => !to.startsWith('src/') && to !== 'package.json');
		expect(outside).toEqual([]);
	});

	test('has its routes composed by the server only', () => {
		expect(ownImports.filter(({ from, to }) => isRoutes(to) && unitOf(from) !== 'server')).toEqual([]);
	});

	test('knows Elysia at the edge only', () => {
		const edge = /^src\/(?:server\/.*|keys\/auth\.ts|http\/.*|.*\/(?:routes|schema)\.ts)$/;
		const isElysia = (name: string) => name === 'elysia' || name.startsWith('elysia/') || name.startsWith('@elysiajs/');
		expect(pathsWhere(({ path, imports }) => imports.some(isElysia) && !edge.test(path))).toEqual([]);
	});

	test('names the OpenAPI plugin in one file', () => {
		const namesPlugin = pathsWhere(({ imports }) => imports.includes('@elysiajs/swagger'));
		expect(namesPlugin.filter((path) => path !== 'src/http/openapi-document.ts')).toEqual([]);
	});

	test('reads the environment in config.ts only', () => {
		const readsEnvironment = /\b(?:process|Bun|import\.meta)\.env\b/;
		expect(pathsWhere(({ path, text: content }) => path !== 'src/config.ts' && readsEnvironment.test(content))).toEqual(
			[],
		);
	});

	test('reads responses of other servers by the one helper that bounds them', () => {
		const inBrowser = /^src\/(?:dashboard\/web|http\/api-docs|intake\/(?:web|pages\/help-page))\b/;
		const onServer = ({ path }: Source) => path !== 'src/network/bounded-response.ts' && !inBrowser.test(path);
		const asksByItself = /(?<![.\w])fetch\(|\bS3Client\b|\bBun\.s3\b/;
		const readsAll = /\.(?:text|json|arrayBuffer|bytes|blob|formData)\(\)|\bnew Response\(await\b/;
		expect(pathsWhere((source) => onServer(source) && asksByItself.test(source.text))).toEqual([]);
		const asks = ({ imports }: Source) => imports.some((name) => name.endsWith('/bounded-response.ts'));
		expect(pathsWhere((source) => onServer(source) && asks(source) && readsAll.test(source.text))).toEqual([]);
	});

	test('reads what visitors sent, to show it, with all its digits: by JSON.parse only where no value is shown', () => {
		const shows =
			/^src\/(?:cli|dashboard|delivery|forms\/suggestion|submissions|spam|html|intake\/(?:pages|responses))\b/;
		const parses = ({ path, text: content }: Source) => shows.test(path) && /\bJSON\.parse\b(?!`)/.test(content);
		expect(pathsWhere(parses)).toEqual([
			// Records of erasures.
			'src/cli/erase.ts',
			// The id and the names of files of an exported submission.
			'src/cli/import.ts',
			// Settings, and what the browser remembers.
			'src/dashboard/web/state/columns.ts',
			'src/dashboard/web/state/live.ts',
			'src/dashboard/web/state/session.ts',
			'src/dashboard/web/views/form-settings/webhook-dialog.tsx',
			'src/dashboard/web/views/inbox.tsx',
			// Names, which are texts; what a mail was; the frame of an event, without its data.
			'src/delivery/fields.ts',
			'src/delivery/mail/channel.ts',
			'src/delivery/visitor/channel.ts',
			'src/delivery/webhooks/event.ts',
			// Only types and texts are looked at.
			'src/spam/verdict.ts',
			'src/submissions/erasures/matcher.ts',
			// The server's own.
			'src/submissions/erasures/records.ts',
			// Only what stands beside the fields.
			'src/submissions/import/import.ts',
			'src/submissions/import/sources.ts',
		]);
	});

	test('opens transactions in storage only', () => {
		const transacts = /\btransaction\(/;
		expect(pathsWhere(({ path, text: content }) => unitOf(path) !== 'storage' && transacts.test(content))).toEqual([]);
	});

	test('knows the engine of the storage in storage only', () => {
		expect(ownImports.filter(({ from, to }) => isEngine(to) && unitOf(from) !== 'storage')).toEqual([]);
		const driver = pathsWhere(({ imports }) =>
			imports.some((name) => /^(?:bun:sqlite|drizzle-orm\/(?:bun-sqlite|sqlite-proxy|pg-core)|postgres$)/.test(name)),
		);
		expect(driver.filter((path) => !isEngine(path))).toEqual([]);
	});

	test('names an engine of the storage in one file, and in the thread beside it', () => {
		const names = ownImports.filter(({ from, to }) => isEngine(to) && !isEngine(from)).map(({ from }) => from);
		expect([...new Set(names)]).toEqual(['src/storage/open.ts', 'src/storage/reader-thread.ts']);
	});

	test('has no circle of imports above five files', () => {
		const importsOf = Map.groupBy(ownImports, ({ from }) => from);
		const reached = (start: string) => {
			const found = new Set<string>();
			const open = [start];
			for (let path = open.pop(); path; path = open.pop())
				for (const { to } of importsOf.get(path) ?? []) if (!found.has(to) && found.add(to)) open.push(to);
			return found;
		};
		const all = new Map([...importsOf.keys()].map((path) => [path, reached(path)]));
		const circles = [...all].map(([path, found]) => [...found].filter((other) => all.get(other)?.has(path)).sort());
		expect(circles.filter((circle) => circle.length > 5)).toEqual([]);
	});

	test('loads at a start nothing that the first responses do not need', () => {
		const transpiler = new Bun.Transpiler({ loader: 'ts' });
		const loaded = new Set<string>();
		const packages = new Set<string>();
		const load = (path: string) => {
			const source = sources.find((one) => one.path === path);
			if (!source || loaded.has(path)) return;
			loaded.add(path);
			for (const { kind, path: name } of transpiler.scanImports(source.text)) {
				if (kind !== 'import-statement') continue;
				if (name.startsWith('.')) load(resolve(source, name));
				else packages.add(name);
			}
		};
		for (const path of ['src/main.ts', 'src/cli/serve.ts']) load(path);
		expect([...packages].sort()).toEqual([
			'bun:sqlite',
			'drizzle-orm',
			'drizzle-orm/bun-sqlite',
			'drizzle-orm/sqlite-core',
			'node:buffer',
			'node:fs',
			'node:fs/promises',
			'node:path',
		]);
		const forLater = /\/(?:routes|management-routes|schema)\.ts$|^src\/storage\/postgres\//;
		expect([...loaded].filter((path) => forLater.test(path))).toEqual([]);
	});

	test('normalises texts in linear time, in one file', () => {
		const usesNative = pathsWhere(({ text: content }) => /\.normalize\(/.test(content));
		expect(usesNative).toEqual(['src/text/normalized.ts']);
	});

	test('has no barrels and no files for miscellany', () => {
		const drawer = /\/(?:index\.tsx?$|(?:utils?|helpers?|common|services?|managers?|core|shared|misc)(?:\/|\.ts$))/;
		expect(pathsWhere(({ path }) => drawer.test(path))).toEqual([]);
	});

	test('says on the first line of every file what it is for', () => {
		expect(pathsWhere(({ text: content }) => !/^\/\*\*\s/.test(content))).toEqual([]);
	});

	test('does nothing when it is imported', async () => {
		const inBrowser = /^src\/(?:dashboard\/web|http\/api-docs|intake\/web)\//;
		const modules = pathsWhere(({ path }) => path !== 'src/main.ts' && !inBrowser.test(path));
		const script = modules.map((path) => `await import(${JSON.stringify(join(ROOT, path))});`).join('\n');
		const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'pipe', timeout: 20_000 });
		const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
		expect({ stdout, stderr, code }).toEqual({ stdout: '', stderr: '', code: 0 });
	});
});
