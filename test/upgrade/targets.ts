/** Where a server of any version sends to, so that its outbox has deliveries in all states. */

import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { freePort } from '../free-port.ts';

/** Mail for this address is rejected for good. */
export const REJECTED_MAILBOX = 'gone@example.com';

export type Targets = Awaited<ReturnType<typeof openTargets>>;

export async function openTargets() {
	const smtp = await startScriptedSmtp({
		RCPT: ({ to }) => (to.includes(REJECTED_MAILBOX) ? '550 5.1.1 no such mailbox' : undefined),
	});
	const server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		idleTimeout: 0,
		fetch: ({ url }) => {
			if (url.endsWith('/hangs')) return new Promise<Response>(() => {});
			return new Response(null, { status: url.endsWith('/gone') ? 410 : 204 });
		},
	});
	const webhook = (path: string) => `http://127.0.0.1:${server.port}/${path}`;
	return {
		settings: {
			FORMSRV_SMTP_URL: smtp.url,
			FORMSRV_MAIL_FROM: 'Forms <forms@example.com>',
			FORMSRV_MAIL_PER_HOUR: '4',
			FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		},
		webhooks: {
			takes: webhook('takes'),
			gone: webhook('gone'),
			hangs: webhook('hangs'),
			away: `http://127.0.0.1:${freePort()}/away`,
		},
		async close(): Promise<void> {
			await smtp.close();
			await server.stop(true);
		},
	};
}
