/** Each change and removal that is on disk is announced, once, however often the process is killed between the two. */

import { expect, test } from 'bun:test';
import { runBinary, startBinary } from '../binary.ts';
import { tempFolder } from '../temp-folder.ts';
import { until } from '../until.ts';
import { beforeKillMs, KILLS } from './kills.ts';
import { startTarget } from './told-target.ts';

const PER_LIFE = 500;

interface Listed {
	submissions: { id: string; isRead: boolean }[];
	pagination: { hasMore: boolean };
}

test(`of ${KILLS} kills in the middle of changes none loses or doubles an announcement`, async () => {
	const cwd = tempFolder();
	const { told, target } = startTarget();
	const env = {
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_RATE_SUBMIT: '0',
		FORMSRV_LOG_LEVEL: 'error',
		FORMSRV_RATE_API: '0',
	};
	const form = (await runBinary(['forms', 'create', 'Contact', '--slug', 'contact', '--json'], { cwd })).stdout;
	const path = `/api/forms/${(JSON.parse(form) as { id: string }).id}`;
	const key = (await runBinary(['keys', 'create'], { cwd })).stdout.trim();
	const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
	const events = 'submission.updated,submission.deleted';
	await runBinary(['webhooks', 'create', 'contact', '--url', target.url.href, '--events', events], { cwd, env });
	const sent: string[] = [];
	try {
		for (let life = 0; life <= KILLS; life++) {
			await using server = await startBinary({ cwd, env });
			const call = async (method: string, to: string, json?: object) =>
				fetch(`${server.baseUrl}${path}${to}`, { method, headers, ...(json && { body: JSON.stringify(json) }) });
			if (life === KILLS) {
				const left: Listed['submissions'] = [];
				for (let hasMore = true; hasMore; ) {
					const page = (await (await call('GET', `/submissions?limit=100&offset=${left.length}`)).json()) as Listed;
					left.push(...page.submissions);
					hasMore = page.pagination.hasMore;
				}
				const present = new Map(left.map(({ id, isRead }) => [id, isRead]));
				const due = sent.flatMap((id) => [
					...(present.has(id) ? [] : [`submission.deleted ${id}`]),
					...(present.get(id) ? [`submission.updated ${id}`] : []),
				]);
				await until(() => due.every((what) => told.has(what)), { withinMs: 100_000 });
				expect(due.length).toBeGreaterThan(KILLS);
				// One about a submission that is gone by now may have gone before it, or with it.
				const known = [...told.keys()].filter(
					(what) => present.has(what.split(' ')[1] ?? '') || what.includes('deleted'),
				);
				expect(known.sort()).toEqual(due.sort());
				expect([...told.values()].filter((ids) => ids.size > 1)).toEqual([]);
				expect(await server.end('SIGTERM')).toBe(0);
				return;
			}
			for (let at = 0; at < PER_LIFE; at += 50)
				await Promise.all(
					Array.from({ length: 50 }, () =>
						fetch(`${server.submitUrl}/f/contact`, { method: 'POST', body: new URLSearchParams('a=1') }),
					),
				);
			const page = async (offset: number) =>
				(await (await call('GET', `/submissions?limit=100&offset=${offset}`)).json()) as Listed;
			const fresh = (await Promise.all([0, 100, 200, 300, 400].map(page))).flatMap(({ submissions }) =>
				submissions.map(({ id }) => id),
			);
			sent.push(...fresh);
			const changes = [
				call('PATCH', '/submissions', { ids: fresh.slice(0, 400), set: { isRead: true } }),
				...fresh.slice(400, 430).map((id) => call('DELETE', `/submissions/${id}`)),
				...fresh.slice(430, 460).map((id) => call('PATCH', `/submissions/${id}`, { isRead: true })),
				call('POST', '/submissions/delete', { ids: fresh.slice(460) }),
			].map((response) => response.catch(() => undefined));
			await Promise.race(changes);
			await Bun.sleep(beforeKillMs(life) / 4);
			await server.end('SIGKILL');
			await Promise.all(changes);
		}
	} finally {
		await target.stop(true);
	}
}, 240_000);
