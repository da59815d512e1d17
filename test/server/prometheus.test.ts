/** The metrics, the alerting rules and the dashboard of docs/monitoring, as Prometheus itself reads them. */

import { afterAll, expect } from 'bun:test';
import { join } from 'node:path';
import { withProgram } from '../programs.ts';
import { openTestServer } from '../server.ts';
import { tempFolder } from '../temp-folder.ts';

const ROOT = join(import.meta.dir, '../..');
const MONITORING = join(ROOT, 'docs/monitoring');
const promtool = withProgram('promtool');

const server = await openTestServer();
afterAll(server.close);

/** Returns the exit code, and what it says of faults. */
async function check(args: string[], stdin?: string) {
	const input = stdin === undefined ? 'ignore' : Buffer.from(stdin);
	const child = Bun.spawn([promtool.path, ...args], { stdin: input, stdout: 'pipe', stderr: 'pipe' });
	const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
	return { code: await child.exited, stdout, stderr };
}

promtool.test('the metrics have no fault, also in their names', async () => {
	const { slug } = await server.app.forms.create('live', { name: 'Counted' });
	await server.submit(slug, { text: 'one' });
	await server.submit(slug, { text: 'x', _gotcha: 'filled' });
	const { text } = await server.call('GET /metrics');
	expect(text).toContain('\nformsrv_submissions_total{outcome="spam",reason="honeypot"} 1\n');
	expect(await check(['check', 'metrics'], text)).toEqual({ code: 0, stdout: '', stderr: '' });
});

promtool.test('each alerting rule fires, and only for what it is about', async () => {
	const file = join(import.meta.dir, 'alerting-rules.yml');
	expect(await check(['test', 'rules', file])).toMatchObject({ code: 0, stderr: '' });
	const rules = await Bun.file(join(MONITORING, 'alerts.yml')).text();
	const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => `${name}`);
	const tested = await Bun.file(file).text();
	expect(names.length).toBeGreaterThan(5);
	expect(names.filter((name) => !tested.includes(`alertname="${name}"`))).toEqual([]);
});

promtool.test('the expressions of the dashboard are such', async () => {
	const dashboard = await Bun.file(join(MONITORING, 'grafana-dashboard.json')).text();
	const targets = [...dashboard.matchAll(/"expr": ("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(`${text}`));
	expect(targets.length).toBeGreaterThan(10);
	const rules = targets.map((expr, i) => ({ record: `dashboard:expression_${i}`, expr }));
	const file = join(tempFolder(), 'rules.yml');
	await Bun.write(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
	expect(await check(['check', 'rules', file])).toMatchObject({ code: 0, stderr: '' });
});
