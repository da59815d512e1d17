/** The nginx of the system as docs/operating.md configures it, but for names, ports and TLS. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';

const GUIDE = join(import.meta.dir, '../docs/operating.md');
const [, SERVERS = ''] = /<!-- test:nginx -->\n```nginx\n(.*?)```/s.exec(readFileSync(GUIDE, 'utf8')) ?? [];
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** @param listeners The addresses of a server, of which it answers those of the proxy. */
export async function startNginx(program: string, listeners: { baseUrl: string; submitUrl: string }) {
	const folder = mkdtempSync(join(tmpdir(), 'formsrv-nginx-'));
	const addresses = [freePort(), freePort()].map((port) => `127.0.0.1:${port}`);
	const [baseUrl, submitUrl] = addresses.map((address) => `http://${address}`) as [string, string];
	const servers = SERVERS.replace(/\n\s*ssl_.*/g, '')
		.replaceAll('listen 443 ssl', () => `listen ${addresses.shift()}`)
		.replace('http://127.0.0.1:8080', listeners.baseUrl)
		.replace('http://127.0.0.1:8081', listeners.submitUrl);
	const config = join(folder, 'nginx.conf');
	writeFileSync(
		config,
		`${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${folder}/pid;
events {}
http {
access_log off;
${TEMPORARY.map((of) => `${of}_temp_path ${folder}/${of};`).join('\n')}
${servers}}
`,
	);
	const nginx = Bun.spawn([program, '-p', folder, '-e', 'stderr', '-c', config], { stdout: 'ignore', stderr: 'pipe' });
	await isReady(`${baseUrl}/health`, nginx);
	return {
		baseUrl,
		submitUrl,
		async stop() {
			nginx.kill('SIGTERM');
			await nginx.exited;
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

async function isReady(url: string, nginx: Bun.Subprocess<'ignore', 'ignore', 'pipe'>): Promise<void> {
	while (nginx.exitCode === null) {
		const response = await fetch(url).catch(() => undefined);
		if (response?.ok) return;
		await Bun.sleep(20);
	}
	throw new Error(`nginx ended: ${await new Response(nginx.stderr).text()}`);
}
