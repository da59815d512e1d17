/** The systems that there is a program for, and the Bun that each contains. */

import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readLock } from './installed.ts';

interface Target {
	/** As the compiler calls it. */
	compile: Bun.Build.CompileTarget;
	/** The package with the Bun for it. */
	runtime: string;
	/** The beginning of its programs, as `headerOf` reads it. */
	header: string;
	/** The words before a command that runs its programs on Linux x64; none where that takes no more. */
	emulator?: string[];
}

const targets = {
	// Also for processors without AVX2: Bun has one program for all from 2008 on, and "x64-baseline" is another name of it.
	'linux-x64': {
		compile: 'bun-linux-x64',
		runtime: '@oven/bun-linux-x64',
		header: 'ELF x64 /lib64/ld-linux-x86-64.so.2',
		emulator: [],
	},
	'linux-arm64': {
		compile: 'bun-linux-arm64',
		runtime: '@oven/bun-linux-aarch64',
		header: 'ELF arm64 /lib/ld-linux-aarch64.so.1',
		// The packages qemu-user and libc6-arm64-cross.
		emulator: ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'],
	},
	'linux-x64-musl': {
		compile: 'bun-linux-x64-musl',
		runtime: '@oven/bun-linux-x64-musl',
		header: 'ELF x64 /lib/ld-musl-x86_64.so.1',
	},
	'linux-arm64-musl': {
		compile: 'bun-linux-arm64-musl',
		runtime: '@oven/bun-linux-aarch64-musl',
		header: 'ELF arm64 /lib/ld-musl-aarch64.so.1',
	},
	'macos-arm64': {
		compile: 'bun-darwin-arm64',
		runtime: '@oven/bun-darwin-aarch64',
		header: 'Mach-O arm64',
	},
	'macos-x64': {
		compile: 'bun-darwin-x64',
		runtime: '@oven/bun-darwin-x64',
		header: 'Mach-O x64',
	},
	'windows-x64': {
		compile: 'bun-windows-x64',
		runtime: '@oven/bun-windows-x64',
		header: 'PE x64',
	},
} satisfies Record<string, Target>;

export type TargetName = keyof typeof targets;
export const TARGETS: Record<TargetName, Target> = targets;

export const isTarget = (name: string): name is TargetName => name in TARGETS;

/**
 * Installs the Bun of other systems in `dist/runtimes`, by the hashes of `bun.lock`: the compiler would download it unseen.
 * @returns its path, or `undefined` if it could not be had
 */
export async function findRuntime(name: TargetName): Promise<string | undefined> {
	const { runtime } = TARGETS[name];
	const folder = join('dist/runtimes', name);
	const path = join(folder, 'node_modules', runtime, 'bin', name.startsWith('windows') ? 'bun.exe' : 'bun');
	const { lockfileVersion, configVersion, packages } = readLock('.');
	const locked = packages[runtime];
	if (!locked) return undefined;
	const wanted = { name, optionalDependencies: { [runtime]: locked[0].slice(runtime.length + 1) } };
	await mkdir(folder, { recursive: true });
	await Bun.write(join(folder, 'package.json'), JSON.stringify(wanted));
	const lock = { lockfileVersion, configVersion, workspaces: { '': wanted }, packages: { [runtime]: locked } };
	await Bun.write(join(folder, 'bun.lock'), JSON.stringify(lock));
	const anySystem = ['--os=*', '--cpu=*', '--libc=*'];
	const install = [process.execPath, 'install', '--frozen-lockfile', '--ignore-scripts', '--silent', ...anySystem];
	Bun.spawnSync(install, { cwd: folder, stdout: 'inherit', stderr: 'inherit' });
	return existsSync(path) ? path : undefined;
}

const MACHINES = new Map([
	[
		'ELF',
		new Map([
			[0x3e, 'x64'],
			[0xb7, 'arm64'],
		]),
	],
	[
		'Mach-O',
		new Map([
			[0x0100_0007, 'x64'],
			[0x0100_000c, 'arm64'],
		]),
	],
	['PE', new Map([[0x8664, 'x64']])],
]);

export const HEADER_BYTES = 4096;

/** Reads from the beginning of a program for which machine it is, and which loader starts it. */
export function headerOf(bytes: Uint8Array): string {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const named = (format: string, machine: number) => `${format} ${MACHINES.get(format)?.get(machine) ?? machine}`;
	if (view.getUint32(0) === 0x7f45_4c46) {
		const [loader] = /\/lib(?:64)?\/ld-[\w.-]+/.exec(new TextDecoder('latin1').decode(bytes)) ?? [];
		return `${named('ELF', view.getUint16(18, true))} ${loader}`;
	}
	if (view.getUint32(0, true) === 0xfeed_facf) return named('Mach-O', view.getUint32(4, true));
	const start = view.getUint32(0x3c, true);
	if (view.getUint16(0) === 0x4d5a && view.getUint32(start) === 0x5045_0000)
		return named('PE', view.getUint16(start + 4, true));
	return 'no program';
}
