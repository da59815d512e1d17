/** No mail and no webhook event of an acknowledged submission is lost, however often the process is killed. */

import { expect, test } from 'bun:test';
import { Webhook } from 'standardwebhooks';
import { runBinary, startBinary } from '../binary.ts';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';

const KILLS = 8;
const PER_LIFE = 40;
/** Concurrent attempts to one webhook, and to the mail server: the channels' concurrency. */
const EVENTS_UNDER_WAY = 2;
const MAILS_UNDER_WAY = 4;

interface Arrival {
	id: string;
	mark: string;
}

async function callJson(url: string, { key, json }: { key?: string; json: unknown }) {
	const response = await fetch(url, {
		method: 'POST',
		headers: {
			'Content-Type': 'application/json',
			Accept: 'application/json',
			...(key && { Authorization: `Bearer ${key}` }),
		},
		body: JSON.stringify(json),
	});
	return { status: response.status, body: (await response.json()) as Record<string, string> };
}

const bodyOf = (mail: string) => mail.slice(mail.indexOf('\r\n\r\n'));

test(`every submission acknowledged before one of ${KILLS} kills is mailed and posted, twice only if it was in flight`, async () => {
	const cwd = tempFolder();
	const arrivals: Arrival[] = [];
	let secret = '';
	const target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const headers = request.headers.toJSON() as Record<string, string>;
			const event = new Webhook(secret).verify(await request.text(), headers) as {
				data: { submission: { data: { mark: string } } };
			};
			arrivals.push({ id: headers['webhook-id'] as string, mark: event.data.submission.data.mark });
			await Bun.sleep(3);
			return new Response(null, { status: 204 });
		},
	});
	const peer = await startScriptedSmtp();
	const env = {
		FORMSRV_SMTP_URL: peer.url,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_MAIL_PER_HOUR: '100000',
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_RATE_SUBMIT: '0',
		FORMSRV_LOG_LEVEL: 'error',
	};
	const mailedMarks = () => peer.accepted.map(({ content }) => /\b\d+-\d+\b/.exec(bodyOf(content))?.[0] ?? '');
	const missing = (acknowledged: string[]) => {
		const posted = new Set(arrivals.map(({ mark }) => mark));
		const mailed = new Set(mailedMarks());
		return acknowledged.filter((mark) => !posted.has(mark) || !mailed.has(mark));
	};
	try {
		await runBinary(['forms', 'create', 'Contact', '--slug', 'contact', '--notification-email', 'owner@example.com'], {
			cwd,
		});
		const key = (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
		const acknowledged: string[] = [];
		for (let life = 0; life <= KILLS; life++) {
			await using server = await startBinary({ cwd, env });
			if (life === 0) {
				const headers = { Authorization: `Bearer ${key}` };
				const list = await fetch(`${server.baseUrl}/api/forms`, { headers });
				const { forms } = (await list.json()) as { forms: { id: string }[] };
				const url = `${server.baseUrl}/api/forms/${forms[0]?.id}/webhooks`;
				secret = (await callJson(url, { key, json: { url: target.url.href } })).body.secret as string;
			}
			for (let i = 0; i < PER_LIFE; i++) {
				const mark = `${life}-${i}`;
				const { status } = await callJson(`${server.submitUrl}/f/contact`, { json: { mark } });
				if (status === 200) acknowledged.push(mark);
			}
			if (life < KILLS) await server.end('SIGKILL');
			else {
				await until(() => missing(acknowledged).length === 0, { withinMs: 100_000 });
				expect(await server.end('SIGTERM')).toBe(0);
			}
		}
		const marks = arrivals.map(({ mark }) => mark);
		expect([...new Set(marks)].sort()).toEqual(acknowledged.sort());
		const idOf = new Map(arrivals.map(({ mark, id }) => [mark, id]));
		expect(arrivals.filter(({ mark, id }) => idOf.get(mark) !== id)).toEqual([]);
		expect(marks.length - acknowledged.length).toBeLessThanOrEqual(EVENTS_UNDER_WAY * KILLS);
		const mails = mailedMarks();
		expect([...new Set(mails)].sort()).toEqual(acknowledged);
		expect(mails.length - acknowledged.length).toBeLessThanOrEqual(MAILS_UNDER_WAY * KILLS);
		const messageIds = new Set(peer.accepted.map(({ content }) => /^Message-ID: (.*)\r$/m.exec(content)?.[1]));
		expect(messageIds.size).toBe(acknowledged.length);
	} finally {
		await target.stop(true);
		await peer.close();
	}
}, 180_000);
