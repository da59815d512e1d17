/** `formsrv sessions`, and the other ways in which a command ends them. */

import { beforeEach, expect, test } from 'bun:test';
import { type App, openApp } from '../../src/app.ts';
import { createLog } from '../../src/log/log.ts';
import { type CommandLine, openCommandLine } from './command-line.ts';

let cli: CommandLine;
beforeEach(() => {
	cli = openCommandLine();
});

/** Opens a session by a setup link; answers its token. */
async function signIn(): Promise<string> {
	const link = (await cli.call('dashboard-link')).stdout.trim();
	return use((app) => app.sessions.openWithLink(link.split('/').at(-1) ?? ''));
}

async function use<T>(act: (app: App) => Promise<T>): Promise<T> {
	const app = await openApp(cli.config(), { log: createLog({ level: 'error', format: 'json', write: () => {} }) });
	try {
		return await act(app);
	} finally {
		await app.close();
	}
}

const isOpen = (token: string) => use(async (app) => (await app.sessions.find(token, { isUse: false })) !== undefined);

test('sessions are listed, and ended one by one or all at once', async () => {
	const tokens = [await signIn(), await signIn(), await signIn()];
	const { stdout } = await cli.call('sessions', 'list');
	expect(stdout).toMatch(/^ID +BY +MODE +SINCE +LAST SEEN +ENDS +NAME\n(\w+ +setup link +live .*\n){3}$/);
	const listed: { id: string; key: null }[] = await cli.json('sessions', 'list');
	expect((await cli.call('sessions', 'revoke', listed[0]?.id ?? '')).stdout).toBe('Ended one session.\n');
	expect(await Promise.all(tokens.map(isOpen))).toEqual([true, true, false]);
	expect(await cli.call('sessions', 'revoke', listed[0]?.id ?? '')).toMatchObject({
		code: 1,
		stderr: `There is no session "${listed[0]?.id}".\n`,
	});
	expect(await cli.json('sessions', 'revoke', '--all')).toEqual({ ended: 2 });
	expect((await cli.call('sessions', 'list')).stderr).toBe('Nobody is signed in.\n');
});

test('either a session or --all is required', async () => {
	await signIn();
	for (const argv of [[], ['abc', '--all']]) {
		const { code, stderr } = await cli.call('sessions', 'revoke', ...argv);
		expect([code, stderr]).toEqual([2, 'Name one session, or all with --all. "formsrv sessions list" shows them.\n']);
	}
	expect(await cli.json('sessions', 'list')).toHaveLength(1);
});

test('a new link can end the sessions of former ones', async () => {
	const token = await signIn();
	const unused = (await cli.call('dashboard-link')).stdout.trim().split('/').at(-1) ?? '';
	const { stdout, stderr } = await cli.call('dashboard-link', '--revoke-others');
	expect(stderr).toStartWith('Ended one session.\n');
	expect(await isOpen(token)).toBe(false);
	await expect(use((app) => app.sessions.openWithLink(unused))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
	await use((app) => app.sessions.openWithLink(stdout.trim().split('/').at(-1) ?? ''));
});
