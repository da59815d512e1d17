/** The receivers that docs/webhooks.md shows, run as they stand there. */

import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { STANDARD } from '../../../src/delivery/webhooks/event.ts';
import { createWebhookSecret, webhookHeaders } from '../../../src/delivery/webhooks/standard-webhooks.ts';
import { createGuardedPost } from '../../../src/network/guarded-request.ts';
import { textBody } from '../../../src/network/post-body.ts';
import { freePort } from '../../free-port.ts';
import { withProgram } from '../../programs.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';

const PATIENCE_MS = 20_000;
const FORM = { id: 'f1', name: 'Contact', slug: 'contact' };
const EVENT = STANDARD.event('submission.created', {
	form: FORM,
	createdAt: new Date().toISOString(),
	around: ['{"id":"s1","data":', ',"isRead":false,"isStarred":false,"isSpam":false,"files":[]}'],
}).join('{"name":"Ädä"}');
const MANY = STANDARD.facts('submission.updated', {
	form: FORM,
	at: new Date().toISOString(),
	facts: { submission: null, more: 500 },
});

const page = await Bun.file(join(import.meta.dir, '../../../docs/webhooks.md')).text();
const python = withProgram('python3');
const snippets = [
	{ language: 'js', file: 'receiver.mjs', program: process.execPath },
	...(python.isMissing ? [] : [{ language: 'python', file: 'receiver.py', program: python.path }]),
];

const post = createGuardedPost({ allowed: ['127.0.0.1'] });

function codeOf(language: string): string {
	const [, code] = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page) ?? [];
	if (code === undefined) throw new Error(`docs/webhooks.md has no example in ${language}.`);
	return code;
}

/** Posts until the receiver listens. */
async function deliver(port: number, { headers, body }: { headers: Record<string, string>; body: string }) {
	return until(async () => {
		const result = await post(`http://127.0.0.1:${port}/`, { headers, body: textBody(body) });
		return result.hasResponse && result.status;
	});
}

describe.each(snippets)('the receiver in $language', ({ language, file, program }) => {
	test(
		'takes what is genuine, and nothing else',
		async () => {
			const path = join(tempFolder(), file);
			await Bun.write(path, codeOf(language));
			const secret = createWebhookSecret();
			const port = freePort();
			const receiver = Bun.spawn([program, path], {
				env: { WEBHOOK_SECRET: secret, PORT: String(port), PATH: process.env.PATH },
				stdout: 'pipe',
				stderr: 'ignore',
			});
			const sign = (secrets: string[], sentAt = new Date()) =>
				webhookHeaders(secrets, { id: 'msg_1', sentAt, body: textBody(EVENT) });
			try {
				const genuine = await sign([secret]);
				expect(await deliver(port, { headers: genuine, body: EVENT })).toBe(204);
				const rotating = await sign([createWebhookSecret(), secret]);
				expect(await deliver(port, { headers: rotating, body: EVENT })).toBe(204);
				const body = STANDARD.facts('webhook.test', { form: FORM, at: new Date().toISOString() });
				const ofTest = await webhookHeaders([secret], { id: 'test_1', sentAt: new Date(), body: textBody(body) });
				expect(await deliver(port, { headers: ofTest, body })).toBe(204);
				const ofMany = await webhookHeaders([secret], { id: 'msg_2', sentAt: new Date(), body: textBody(MANY) });
				expect(await deliver(port, { headers: ofMany, body: MANY })).toBe(204);
				const forgeries = [
					{ headers: genuine, body: `${EVENT} ` },
					{ headers: { ...genuine, 'Webhook-Id': 'msg_2' }, body: EVENT },
					{ headers: { ...genuine, 'Webhook-Signature': 'v1,' }, body: EVENT },
					{ headers: await sign([createWebhookSecret()]), body: EVENT },
					{ headers: await sign([secret], new Date(Date.now() - 600_000)), body: EVENT },
					{ headers: { 'Content-Type': 'application/json' }, body: EVENT },
				];
				for (const forgery of forgeries) expect(await deliver(port, forgery)).toBe(401);
			} finally {
				receiver.kill();
				await receiver.exited;
			}
			const printed = await new Response(receiver.stdout).text();
			expect(printed.match(/submission\.created.*Ädä/g)).toHaveLength(2);
			expect(printed.match(/webhook\.test/g)).toHaveLength(1);
			expect(printed.match(/submission\.updated/g)).toHaveLength(1);
		},
		PATIENCE_MS,
	);
});
