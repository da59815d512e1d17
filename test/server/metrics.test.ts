/** Metrics: the text format, what is counted, who may read it, and that nothing of a visitor is in it. */

import { afterAll, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_CODES } from '../../src/errors.ts';
import { toText } from '../../src/metrics/exposition.ts';
import { openTestServer } from '../server.ts';
import { until } from '../until.ts';

/** A port where nothing listens. */
function freePort(): number {
	const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
	const { port } = listener;
	listener.stop(true);
	return port;
}

const metricsPort = freePort();
const nowhere = `http://127.0.0.1:${freePort()}/hook`;
const server = await openTestServer({
	settings: {
		FORMSRV_METRICS: `127.0.0.1:${metricsPort}`,
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_LOG_LEVEL: 'error',
	},
});
afterAll(server.close);

const url = `http://127.0.0.1:${metricsPort}/metrics`;
const scrape = async () => (await fetch(url)).text();
/** The value of a sample, written as in the text; 0 if there is none. */
const sampleOf = (text: string, sample: string): number => {
	const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
	return Number(line?.slice(sample.length) ?? 0);
};

test('the text is what Prometheus reads: each metric once, with help, type and its samples', async () => {
	const response = await fetch(url);
	expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
	const text = await response.text();
	expect(text.endsWith('\n')).toBe(true);
	const seen = new Set<string>();
	let current = '';
	for (const line of text.trimEnd().split('\n')) {
		const help = /^# HELP ([a-z_]+) .+\.$/.exec(line);
		if (help) {
			current = help[1] as string;
			expect(seen.has(current)).toBe(false);
			seen.add(current);
		} else if (line.startsWith('#')) {
			expect(line).toMatch(new RegExp(`^# TYPE ${current} (counter|gauge|histogram)$`));
		} else {
			expect(line).toMatch(/^[a-z_]+(_bucket|_sum|_count)?(\{([a-z]+="[^"\\\n]*",?)+\})? -?\d+(\.\d+)?(e[+-]?\d+)?$/);
			expect(line.startsWith(current)).toBe(true);
		}
	}
	for (const name of ['formsrv_deliveries', 'formsrv_problem', 'formsrv_disk_free_bytes', 'process_open_fds'])
		expect(seen).toContain(name);
});

test('a label is escaped', () => {
	const samples = [{ labels: { a: 'q"b\\n\n' }, value: 1 }];
	expect(toText([{ name: 'x', help: 'X.', type: 'gauge', samples }])).toBe(
		'# HELP x X.\n# TYPE x gauge\nx{a="q\\"b\\\\n\\n"} 1\n',
	);
});

test('submissions are counted by outcome and reason, and timed', async () => {
	const { slug } = await server.app.forms.create('live', { name: 'Counted' });
	const before = await scrape();
	for (const text of ['one', 'two', 'three']) expect((await server.submit(slug, { text })).status).toBe(200);
	await server.submit(slug, { text: 'x', _gotcha: 'filled' });
	await server.submit('no-such-form', { text: 'x' });
	await server.submit(slug, {});
	const after = await scrape();
	const more = (sample: string) => sampleOf(after, sample) - sampleOf(before, sample);
	expect(more('formsrv_submissions_total{outcome="accepted",reason=""}')).toBe(3);
	expect(more('formsrv_submissions_total{outcome="spam",reason="honeypot"}')).toBe(1);
	expect(more('formsrv_submissions_total{outcome="rejected",reason="FORM_NOT_FOUND"}')).toBe(1);
	expect(more('formsrv_submissions_total{outcome="rejected",reason="EMPTY_SUBMISSION"}')).toBe(1);
	expect(more('formsrv_spam_rule_matches_total{rule="honeypot"}')).toBe(1);
	expect(more('formsrv_commit_duration_seconds_count')).toBe(4);
	expect(more('formsrv_commit_duration_seconds_bucket{le="+Inf"}')).toBe(4);
	expect(more('formsrv_http_request_duration_seconds_count{kind="submission"}')).toBe(6);
	expect(more('formsrv_http_responses_total{kind="submission",status="404"}')).toBe(1);
});

test('calls of the API and of agents are counted together', async () => {
	const before = await scrape();
	await server.call('GET /api/forms');
	await server.call('POST /mcp', { json: {} });
	const after = await scrape();
	const sample = 'formsrv_http_request_duration_seconds_count{kind="api"}';
	expect(sampleOf(after, sample) - sampleOf(before, sample)).toBe(2);
});

test('the queue is counted by channel and state, with the age of its oldest delivery', async () => {
	const { id, slug } = await server.app.forms.create('live', { name: 'Queued' });
	await server.call(`POST /api/forms/${id}/webhooks`, { json: { url: nowhere } });
	await server.submit(slug, { text: 'queued' });
	const waiting = 'channel="webhook",state="waiting"';
	// While it is attempted, it is `sending`.
	const text = await until(scrape, { isSo: (all) => sampleOf(all, `formsrv_deliveries{${waiting}}`) !== 0 });
	expect(sampleOf(text, `formsrv_deliveries{${waiting}}`)).toBe(1);
	expect(sampleOf(text, `formsrv_deliveries_oldest_seconds{${waiting}}`)).toBeGreaterThan(0);
	expect(sampleOf(text, 'formsrv_deliveries{channel="mail",state="failed"}')).toBe(0);
});

test('nothing that a visitor or an owner wrote is in it', async () => {
	const mark = 'zqxmarker';
	const { slug } = await server.app.forms.create('live', { name: mark, slug: `${mark}-form` });
	const fields = { [mark]: mark, _subject: mark, email: `${mark}@example.org`, _gotcha: mark };
	await server.submit(slug, fields, { Referer: `https://${mark}.example/`, 'User-Agent': mark });
	await fetch(`${server.baseUrl}/${mark}?${mark}`, { method: 'PUT' });
	await server.submit(mark, fields);
	const text = await scrape();
	expect(text).not.toContain(mark);
	expect(text).not.toContain('127.0.0.1');
});

test('at the base it takes a key with the permission metrics, which may do nothing else', async () => {
	const key = await server.createKey({ permissions: ['metrics'] });
	expect((await server.call('GET /metrics', { key })).text).toContain('formsrv_build_info{version=');
	expect((await server.call('GET /api/forms', { key })).status).toBe(403);
	expect((await server.call('GET /metrics', { key: null })).status).toBe(401);
	const reader = await server.createKey({ permissions: ['read', 'write', 'delete'] });
	expect((await server.call('GET /metrics', { key: reader })).status).toBe(403);
	expect((await fetch(`${server.submitUrl}/metrics`)).status).toBe(404);
});

test('the listener of the metrics serves nothing else', async () => {
	const { origin } = new URL(url);
	for (const path of ['/', '/api/forms', '/health', '/f/x']) expect((await fetch(origin + path)).status).toBe(404);
	expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405);
});

test('the alerting rules and the dashboard of the docs name only metrics that exist', async () => {
	const names = new Set([...(await scrape()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
	for (const file of ['alerts.yml', 'grafana-dashboard.json']) {
		const text = readFileSync(join(import.meta.dir, '../../docs/monitoring', file), 'utf8');
		const used = [...text.matchAll(/\b(?:formsrv|process)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ''));
		expect(used.length).toBeGreaterThan(5);
		for (const name of used) expect(names).toContain(name);
	}
});

test('the reasons in the alerting rules are error codes', () => {
	const text = readFileSync(join(import.meta.dir, '../../docs/monitoring/alerts.yml'), 'utf8');
	const reasons = [...text.matchAll(/reason=~?"([^"]*)"/g)].flatMap(([, codes]) => codes?.split('|'));
	expect(reasons.length).toBeGreaterThan(0);
	for (const reason of reasons) expect(ERROR_CODES as readonly unknown[]).toContain(reason);
});
