/** The Model Context Protocol over HTTP: each POST is one message, with the key of the caller as for the API. */

import { Elysia } from 'elysia';
import { AppError } from '../../errors.ts';
import { readJson } from '../../http/json-body.ts';
import type { Auth } from '../../keys/auth.ts';
import { unauthorized } from '../../keys/permissions.ts';
import type { ContextOf } from './api-calls.ts';
import { createCallersTools } from './callers-tools.ts';
import { Message, reply } from './protocol.ts';

interface McpSetup {
	auth: Auth;
	baseUrl: string;
}

export const mcpRoutes = (contextOf: ContextOf, { auth, baseUrl }: McpSetup) => {
	const { origin } = new URL(baseUrl);

	return new Elysia({ name: 'mcp', detail: { hide: true } }).use(auth).post('/mcp', async ({ principal, request }) => {
		const { headers } = request;
		// A session is for the dashboard, and the calls of a tool need a key.
		if (!headers.has('authorization')) throw unauthorized('missing');
		// Else a page could have its host name lead here, to a server in a private network.
		if ((headers.get('origin') ?? origin) !== origin) {
			throw new AppError('FORBIDDEN', 'Requests from pages of another origin are not accepted here.');
		}
		// A submission is to come as it was sent. Settings are checked by the API.
		const message = await readJson(request, Message, { keepsDigits: true });
		const tools = createCallersTools(principal, contextOf(request));
		const { status, body } = await reply(message, tools, headers);
		if (!body) return new Response(null, { status });
		return new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });
	});
};
