/**
 * `bun run release`: the files to download, in `dist/release`: the program for every system, built twice and compared; their SHA-256, the
 * bill of materials, the installer and the client for npm. It exits with 1 if anything is missing or not as it has to be.
 */

import { copyFile, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { create } from 'tar';
import { billOfMaterials } from './bill-of-materials.ts';
import { buildBinary, buildPages } from './build.ts';
import { buildClient, readDocument } from './client.ts';
import { manPage } from './man-page.ts';
import { TARGETS, type TargetName } from './targets.ts';
import { tryProgram } from './try-program.ts';

const ROOT = join(import.meta.dir, '..');
const RELEASE = join(ROOT, 'dist/release');
/** Folders of what goes into an archive. */
const STAGE = join(ROOT, 'dist/release-stage');
/** The time of all files in the archives, which are the same bytes whenever they are made. */
const MTIME = new Date('2000-01-01T00:00:00Z');

const faults: string[] = [];

async function build(name: TargetName) {
	const folder = join(STAGE, name);
	const program = join(folder, name.startsWith('windows') ? 'formsrv.exe' : 'formsrv');
	const paths = await buildBinary({ target: name, outfile: program });
	const again = join(STAGE, 'again', basename(program));
	await buildBinary({ target: name, outfile: again });
	const isSame = (await sha256(program)) === (await sha256(again));
	const run = await runHere(name, program);
	await copyFile('LICENSE', join(folder, 'LICENSE'));
	await Bun.write(join(folder, 'formsrv.1'), await manPage());
	if (name.startsWith('linux')) await copyFile('deploy/formsrv.service', join(folder, 'formsrv.service'));
	const file = join(RELEASE, `formsrv-${name}.tar.gz`);
	const files = [...new Bun.Glob('*').scanSync(folder)].sort();
	await create({ file, cwd: folder, gzip: { level: 9 }, portable: true, mtime: MTIME }, files);
	const row = { target: name, MB: (Bun.file(file).size / 1e6).toFixed(1), program: TARGETS[name].header };
	return { row: { ...row, 'built twice': isSame ? 'same bytes' : 'other bytes', run }, paths };
}

async function runHere(name: TargetName, program: string): Promise<string> {
	const { emulator } = TARGETS[name];
	if (!emulator) return 'not here';
	const [needed] = emulator;
	if (needed && !Bun.which(needed)) return `needs ${needed}`;
	try {
		await tryProgram([...emulator, program]);
		return 'works';
	} catch (error) {
		faults.push(`${name} does not work: ${error}`);
		return 'fails';
	}
}

/** As `npm pack` would: npm installs it by its address, or publishes it. */
async function packClient(): Promise<void> {
	const folder = join(STAGE, 'package');
	await buildClient(await readDocument(), folder);
	const files = [...new Bun.Glob('*').scanSync(folder)].sort().map((name) => `package/${name}`);
	const file = join(RELEASE, 'formsrv-client.tgz');
	await create({ file, cwd: STAGE, gzip: { level: 9 }, portable: true, mtime: MTIME }, files);
	await rm(STAGE, { recursive: true, force: true });
}

async function sha256(path: string): Promise<string> {
	const hash = new Bun.CryptoHasher('sha256');
	for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
	return hash.digest('hex');
}

process.chdir(ROOT);
for (const folder of [RELEASE, STAGE]) {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
}
await buildPages();
const rows: object[] = [];
const included = new Set<string>();
for (const name of Object.keys(TARGETS) as TargetName[]) {
	try {
		const { row, paths } = await build(name);
		rows.push(row);
		for (const path of paths) included.add(path);
	} catch (error) {
		faults.push(`${name}: ${error instanceof Error ? error.message : error}`);
	}
	await rm(STAGE, { recursive: true, force: true });
}
await copyFile('deploy/install.sh', join(RELEASE, 'install.sh'));
await packClient();
await Bun.write(
	join(RELEASE, 'formsrv.cdx.json'),
	`${JSON.stringify(billOfMaterials(ROOT, [...included].sort()), null, '\t')}\n`,
);
const files = [...new Bun.Glob('*').scanSync(RELEASE)].sort();
const sums = await Promise.all(files.map(async (file) => `${await sha256(join(RELEASE, file))}  ${file}\n`));
await Bun.write(join(RELEASE, 'SHA256SUMS'), sums.join(''));
console.table(rows);
console.log(sums.join(''));
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;
