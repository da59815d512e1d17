/** The Chromium that tests drive: the one that comes with the packages, so that a test needs no browser on the machine. */

import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

const PACKAGE = dirname(dirname(require.resolve('@sparticuz/chromium')));
const CACHE = join(import.meta.dir, '..', 'node_modules', '.cache');
/** The fonts, and the libraries that a machine without a desktop lacks. */
const ARCHIVES = ['al2023', 'fonts'];
const EXECUTABLE_MODE = 0o755;

export interface Chromium {
	executablePath: string;
	env: Record<string, string>;
}

/** `CHROMIUM_PATH` names another one, for machines that the packaged one is not for (it is for Linux on x86-64). */
export async function findChromium(): Promise<Chromium> {
	const env = process.env as Record<string, string>;
	if (env.CHROMIUM_PATH) return { executablePath: env.CHROMIUM_PATH, env };
	const { version } = await Bun.file(join(PACKAGE, 'package.json')).json();
	const folder = join(CACHE, `chromium-${version}`);
	if (!existsSync(folder)) await unpack(folder);
	return {
		executablePath: join(folder, 'chromium'),
		env: {
			...env,
			LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
			FONTCONFIG_FILE: join(folder, 'fonts.conf'),
			// Without a locale of the machine, names of downloads would be ASCII.
			LC_ALL: 'C.UTF-8',
		},
	};
}

async function unpack(folder: string): Promise<void> {
	await mkdir(CACHE, { recursive: true });
	const partial = await mkdtemp(`${folder}.`);
	for (const name of ARCHIVES) await new Bun.Archive(await packed(`${name}.tar`)).extract(join(partial, name));
	await Bun.write(join(partial, 'fonts.conf'), fontSettings(join(folder, 'fonts')));
	const executable = join(partial, 'chromium');
	await Bun.write(executable, await packed('chromium'));
	await chmod(executable, EXECUTABLE_MODE);
	await rename(partial, folder).catch(() => rm(partial, { recursive: true }));
}

async function packed(name: string): Promise<Uint8Array<ArrayBuffer>> {
	const bytes = await Bun.file(join(PACKAGE, 'bin', `${name}.br`)).bytes();
	return new Uint8Array(await promisify(brotliDecompress)(bytes));
}

/** The packaged fonts and those of the machine. */
function fontSettings(folder: string): string {
	const dirs = [folder, '/usr/share/fonts'].map((dir) => `<dir>${dir}</dir>`).join('');
	const cache = join(dirname(folder), 'font-cache');
	return `<?xml version="1.0"?><fontconfig>${dirs}<cachedir>${cache}</cachedir></fontconfig>`;
}
