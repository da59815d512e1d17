/** Confirmations that are on disk are announced, once, however often the process is killed behind them; the others can be made again. */

import { expect, test } from 'bun:test';
import { runBinary, startBinary } from '../binary.ts';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { startTarget } from './told-target.ts';

const KILLS = 6;
const PER_LIFE = 60;

interface Listed {
	submissions: { id: string; isPending: boolean }[];
	pagination: { total: number };
}

test(`of ${KILLS} kills in the middle of confirmations none loses or doubles one, nor what it announces`, async () => {
	const cwd = tempFolder();
	const { told, target } = startTarget();
	const peer = await startScriptedSmtp();
	const env = {
		FORMSRV_SMTP_URL: peer.url,
		FORMSRV_MAIL_FROM: 'forms@example.com',
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_RATE_SUBMIT: '0',
		FORMSRV_RATE_ADDRESS: '0',
		FORMSRV_LOG_LEVEL: 'error',
	};
	const create = ['forms', 'create', 'News', '--slug', 'news', '--confirm', '{"field":"email"}', '--json'];
	const { id } = JSON.parse((await runBinary(create, { cwd })).stdout) as { id: string };
	const events = 'submission.created,submission.confirmed';
	await runBinary(['webhooks', 'create', 'news', '--url', target.url.href, '--events', events], { cwd, env });
	const key = (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
	/** The part of each link behind the address of the server. */
	const links = () =>
		peer.accepted.map(({ content }) => {
			const link = /\/f\/news\/confirm\/[\w.-]+/.exec(content.replaceAll('=\r\n', ''));
			return link?.[0] ?? '';
		});
	try {
		for (let life = 0; life <= KILLS; life++) {
			await using server = await startBinary({ cwd, env });
			const list = async (filter: string) => {
				const headers = { Authorization: `Bearer ${key}` };
				const url = `${server.baseUrl}/api/forms/${id}/submissions?limit=1&filter=${filter}`;
				return (await (await fetch(url, { headers })).json()) as Listed;
			};
			const press = (link: string) => fetch(`${server.submitUrl}${link}`, { method: 'POST' });
			if (life === KILLS) {
				const all = [...new Set(links())];
				for (const link of all) expect((await press(link)).status).toBe(200);
				const [{ pagination: confirmed }, { pagination: pending }] = [await list('all'), await list('pending')];
				expect([confirmed.total, pending.total]).toEqual([KILLS * PER_LIFE, 0]);
				await until(() => told.size >= 2 * KILLS * PER_LIFE, { withinMs: 100_000 });
				expect([...told.values()].filter((ids) => ids.size > 1)).toEqual([]);
				expect(told.size).toBe(2 * KILLS * PER_LIFE);
				expect(await server.end('SIGTERM')).toBe(0);
				return;
			}
			const sent = new Set(links()).size;
			for (let i = 0; i < PER_LIFE; i++) {
				const body = new URLSearchParams({ email: `a${life}x${i}@example.com` });
				await fetch(`${server.submitUrl}/f/news`, { method: 'POST', body, redirect: 'manual' });
			}
			await until(() => new Set(links()).size >= sent + PER_LIFE);
			const pressed = [...new Set(links())].slice(sent).map((link) => press(link).catch(() => undefined));
			// Some are on disk by then, others are not.
			await Promise.all(pressed.slice(0, 10 * life));
			await server.end('SIGKILL');
			await Promise.all(pressed);
		}
	} finally {
		await target.stop(true);
		await peer.close();
	}
}, 180_000);
