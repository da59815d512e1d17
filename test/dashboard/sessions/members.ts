/** Servers with members for tests: members made, and what the audit log says of them. */

import { afterAll } from 'bun:test';
import { openTestServer, type TestServer } from '../../server.ts';

export interface Made {
	id: string;
	key: string | null;
	email: string | null;
	display: string;
	code: string;
	error: string;
}
interface Entry {
	action: string;
	actor: { kind: string; id: string | null; name: string | null };
	details: { facts?: Record<string, string> };
}

/** Opens servers for one file of tests; after it they are closed, and what else is in `closing`. */
export function serversOfFile() {
	const closing: (() => unknown)[] = [];
	afterAll(async () => {
		for (const close of closing.reverse()) await close();
	});
	async function openServer(settings: Record<string, string>): Promise<TestServer> {
		const server = await openTestServer({ settings: { FORMSRV_RATE_AUTH: '0', ...settings } });
		closing.push(server.close);
		return server;
	}
	return { closing, openServer };
}

/** Makes a member, or a key, with the permission to read unless `json` has others. */
export const make = (server: TestServer, json: object, key?: string) =>
	server.call<Made>('POST /api/keys', { json: { permissions: ['read'], ...json }, ...(key !== undefined && { key }) });

export async function entriesOf(server: TestServer, action: string): Promise<Entry[]> {
	await server.app.audit.close();
	return (await server.call<{ entries: Entry[] }>(`GET /api/audit?action=${action}`)).body.entries;
}
