/** The Caddy of the system as docs/operating.md configures it, but for names, ports and TLS. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { tempFolder } from './temp-folder.ts';

const GUIDE = join(import.meta.dir, '../docs/operating.md');
const [, SITES = ''] = /<!-- test:caddy -->\n```\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8')) ?? [];

/** @param listeners The addresses of a server, of which it answers those of the proxy. */
export async function startCaddy(program: string, listeners: { baseUrl: string; submitUrl: string }) {
	const folder = tempFolder();
	const [baseUrl, submitUrl] = [freePort(), freePort()].map((port) => `http://127.0.0.1:${port}`) as [string, string];
	const sites = SITES.replace('forms.example.com', baseUrl)
		.replace('f.example.com', submitUrl)
		.replace('127.0.0.1:8080', new URL(listeners.baseUrl).host)
		.replace('127.0.0.1:8081', new URL(listeners.submitUrl).host);
	const config = join(folder, 'Caddyfile');
	writeFileSync(config, `{\n\tadmin off\n}\n${sites}`);
	const caddy = Bun.spawn([program, 'run', '--adapter', 'caddyfile', '--config', config], {
		env: { HOME: folder },
		stdout: 'ignore',
		stderr: 'ignore',
	});
	while (!(await fetch(`${baseUrl}/health`).catch(() => undefined))?.ok) {
		if (caddy.exitCode !== null) throw new Error(`Caddy ended with ${caddy.exitCode}.`);
		await Bun.sleep(20);
	}
	return {
		baseUrl,
		submitUrl,
		async stop() {
			caddy.kill('SIGTERM');
			await caddy.exited;
		},
	};
}
