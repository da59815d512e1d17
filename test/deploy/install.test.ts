/** The installer, run by a shell against a server of files: it installs what SHA256SUMS says, and else nothing. */

import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { create } from 'tar';
import { mayMount, mountDisk } from '../mounts.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';

const SCRIPT = join(import.meta.dir, '../../deploy/install.sh');
const NAME = 'formsrv-linux-x64.tar.gz';
const PROGRAM = '#!/bin/sh\necho 1.2.3\n';
const GLIBC = 'ldd (GNU libc) 2.36';

let files: Map<string, Buffer<ArrayBuffer>>;
let server: Bun.Server<undefined>;
let prefix: string;

function write(folder: string, name: string, script: string): void {
	mkdirSync(dirname(join(folder, name)), { recursive: true });
	writeFileSync(join(folder, name), script, { mode: 0o755 });
}

/** Offers an archive with `program` in it. */
async function offer(program: string, name = NAME): Promise<void> {
	const cwd = tempFolder();
	write(cwd, 'formsrv', program);
	write(cwd, 'formsrv.1', '.TH FORMSRV 1\n');
	if (name.includes('linux')) write(cwd, 'formsrv.service', '[Unit]\n');
	const file = join(tempFolder(), name);
	await create({ file, cwd, gzip: true }, readdirSync(cwd));
	files.set(name, Buffer.from(readFileSync(file)));
	const sums = [...files]
		.filter(([one]) => one !== 'SHA256SUMS')
		.map(([one, content]) => `${sumOf(content)}  ${one}\n`);
	files.set('SHA256SUMS', Buffer.from(sums.join('')));
}

const sumOf = (content: Uint8Array) => new Bun.CryptoHasher('sha256').update(content).digest('hex');

function withAnotherByte(content: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
	const changed = Buffer.from(content);
	changed[100] = 255 - Number(changed[100]);
	return changed;
}

beforeEach(async () => {
	prefix = join(tempFolder(), 'prefix');
	files = new Map([['install.sh', Buffer.from('another')]]);
	server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch(request) {
			const content = files.get(new URL(request.url).pathname.slice(1));
			return content ? new Response(content) : new Response('There is no such file.', { status: 404 });
		},
	});
	await offer(PROGRAM);
});

afterEach(() => server.stop(true));

/** Runs the installer, or commands that do, on a machine that has these answers. */
async function install({ system = 'Linux', machine = 'x86_64', ldd = GLIBC, script = SCRIPT, env = {} } = {}) {
	const bin = tempFolder();
	write(bin, 'sudo', '#!/bin/sh\nexec env "$@"\n');
	write(bin, 'uname', `#!/bin/sh\n[ "$1" = -s ] && echo '${system}' || echo '${machine}'\n`);
	write(bin, 'ldd', `#!/bin/sh\necho '${ldd}' >&2; exit 1\n`);
	const settings = { FORMSRV_RELEASES: server.url.origin, FORMSRV_PREFIX: prefix, ...env };
	const child = Bun.spawn(['sh', script], {
		env: { PATH: `${bin}:${process.env.PATH}`, TMPDIR: bin, ...settings },
		stdout: 'pipe',
		stderr: 'pipe',
	});
	const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
	const left = readdirSync(bin).filter((name) => !['uname', 'ldd', 'sudo'].includes(name));
	return { code: await child.exited, stdout, stderr, left };
}

/** It needs what any Linux has, but not every container. */
const canInstall = !withProgram('tar').isMissing && (!withProgram('curl').isMissing || Bun.which('wget') !== null);

describe.skipIf(!canInstall)('the installer', () => {
	test('installs the program, its manual page and its unit, and replaces those that are there', async () => {
		write(prefix, 'bin/formsrv', 'old');
		const done = `formsrv 1.2.3 is in ${prefix}/bin.\n`;
		expect(await install()).toEqual({ code: 0, stdout: done, stderr: '', left: [] });
		expect(readFileSync(join(prefix, 'bin/formsrv'), 'utf8')).toBe(PROGRAM);
		expect(readdirSync(join(prefix, 'bin'))).toEqual(['formsrv']);
		expect(readFileSync(join(prefix, 'share/man/man1/formsrv.1'), 'utf8')).toContain('FORMSRV');
		expect(readFileSync(join(prefix, 'lib/systemd/system/formsrv.service'), 'utf8')).toBe('[Unit]\n');
	});

	test.each([
		[{ machine: 'aarch64' }, 'formsrv-linux-arm64.tar.gz'],
		[{ ldd: 'musl libc (x86_64)' }, 'formsrv-linux-x64-musl.tar.gz'],
		[{ machine: 'aarch64', ldd: 'musl libc (aarch64)' }, 'formsrv-linux-arm64-musl.tar.gz'],
		[{ system: 'Darwin', machine: 'arm64' }, 'formsrv-macos-arm64.tar.gz'],
		[{ system: 'Darwin' }, 'formsrv-macos-x64.tar.gz'],
	])('on %j it takes %s', async (machine, name) => {
		const own = `${PROGRAM}# ${name}\n`;
		await offer(own, name);
		expect(await install(machine)).toMatchObject({ code: 0 });
		expect(readFileSync(join(prefix, 'bin/formsrv'), 'utf8')).toBe(own);
	});

	const wrong: [string, () => unknown, Parameters<typeof install>[0], string][] = [
		[
			'an archive of which a byte was changed',
			() => files.set(NAME, withAnotherByte(files.get(NAME) as Buffer<ArrayBuffer>)),
			{},
			`${NAME} is not what SHA256SUMS says`,
		],
		[
			'an archive that was cut off',
			() => files.set(NAME, (files.get(NAME) as Buffer<ArrayBuffer>).subarray(0, -10)),
			{},
			`${NAME} is not what SHA256SUMS says`,
		],
		['an archive that is missing', () => files.delete(NAME), {}, `/${NAME} cannot be downloaded`],
		['sums that are missing', () => files.delete('SHA256SUMS'), {}, '/SHA256SUMS cannot be downloaded'],
		[
			'sums that do not name it',
			() => files.set('SHA256SUMS', Buffer.from(`${sumOf(files.get(NAME) as Buffer<ArrayBuffer>)}  other-${NAME}\n`)),
			{},
			`SHA256SUMS does not name ${NAME}`,
		],
		['a program that does not run', () => offer('#!/nowhere/sh\n'), {}, 'does not run here'],
		['another machine', () => {}, { machine: 'riscv64' }, 'there is no formsrv for riscv64'],
		['another system', () => {}, { system: 'FreeBSD' }, 'there is no formsrv for FreeBSD'],
		['no address', () => {}, { env: { FORMSRV_RELEASES: '' } }, 'set FORMSRV_RELEASES'],
		['a folder that cannot be', () => {}, { env: { FORMSRV_PREFIX: '/dev/null/usr' } }, 'cannot be written to'],
	];
	test.each(wrong)('with %s it installs nothing, and says why', async (_, prepare, machine, sentence) => {
		await prepare();
		write(prefix, 'bin/formsrv', 'old');
		const { code, stdout, stderr, left } = await install(machine);
		expect({ code, stdout, left }).toEqual({ code: 1, stdout: '', left: [] });
		expect(stderr).toContain('Not installed: ');
		expect(stderr).toContain(sentence);
		expect(readdirSync(join(prefix, 'bin'))).toEqual(['formsrv']);
		expect(readFileSync(join(prefix, 'bin/formsrv'), 'utf8')).toBe('old');
	});

	test.skipIf(!mayMount)('a disk that is full is said by the system, and gets back what was written', async () => {
		await offer(`${PROGRAM}${'#'.repeat(400_000)}\n`);
		prefix = mountDisk('256k');
		const { code, stderr } = await install();
		expect([code, stderr]).toEqual([1, expect.stringMatching(/No space left on device\nNot installed: /)]);
		expect(readdirSync(join(prefix, 'bin'))).toEqual([]);
	});

	test('says that a folder is in the place of the program', async () => {
		mkdirSync(join(prefix, 'bin/formsrv'), { recursive: true });
		const { code, stderr } = await install();
		expect([code, stderr]).toEqual([1, `Not installed: ${prefix}/bin/formsrv is a folder.\n`]);
		expect(readdirSync(join(prefix, 'bin/formsrv'))).toEqual([]);
	});

	test('lets all users run the program, whatever the user who installs it keeps to himself', async () => {
		const script = join(tempFolder(), 'install.sh');
		writeFileSync(script, `umask 077\n${readFileSync(SCRIPT, 'utf8')}`);
		expect(await install({ script })).toMatchObject({ code: 0 });
		const modes = ['bin', 'bin/formsrv', 'share/man/man1/formsrv.1'].map(
			(name) => statSync(join(prefix, name)).mode & 0o777,
		);
		expect(modes).toEqual([0o755, 0o755, 0o755]);
	});

	test('does nothing when it was itself cut off', async () => {
		const script = join(tempFolder(), 'install.sh');
		writeFileSync(script, readFileSync(SCRIPT, 'utf8').trimEnd().slice(0, -'main'.length));
		expect(await install({ script })).toMatchObject({ code: 0, stdout: '' });
		expect(existsSync(prefix)).toBe(false);
	});

	withProgram('curl').test('is run by the commands of the README', async () => {
		const readme = readFileSync(join(import.meta.dir, '../../README.md'), 'utf8');
		const [, commands = ''] = /<!-- test:install -->\n```sh\n(.*?)```/s.exec(readme) ?? [];
		const script = join(tempFolder(), 'readme.sh');
		writeFileSync(script, commands.replace('https://downloads.example.com/formsrv', server.url.origin));
		files.set('install.sh', readFileSync(SCRIPT));
		const stdout = `formsrv 1.2.3 is in ${prefix}/bin.\n`;
		expect(await install({ script, env: { FORMSRV_RELEASES: undefined } })).toMatchObject({ code: 0, stdout });
	});

	const shellcheck = withProgram('shellcheck');
	shellcheck.test('is a script for any POSIX shell', () => {
		const { stdout, exitCode } = Bun.spawnSync([shellcheck.path, '--shell=sh', SCRIPT]);
		expect({ said: `${stdout}`, exitCode }).toEqual({ said: '', exitCode: 0 });
	});
});
