/** The files of `deploy/`, the Dockerfile and the workflow, by the programs that read them where there are such, and against each other. */

import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { version } from '../../package.json';
import { isTarget } from '../../scripts/targets.ts';
import { KEYS } from '../../src/config/settings.ts';
import { envName } from '../../src/config/sources.ts';
import { BINARY, runBinary, startBinary } from '../binary.ts';
import { freePort } from '../free-port.ts';
import { withProgram } from '../programs.ts';
import { tempFolder } from '../temp-folder.ts';

const ROOT = join(import.meta.dir, '../..');
const read = (path: string) => Bun.file(join(ROOT, path)).text();
const [dockerfile, caddyfile, service, compose, kubernetes] = await Promise.all(
	['Dockerfile', 'deploy/Caddyfile', 'deploy/formsrv.service', 'deploy/compose.yaml', 'deploy/kubernetes.yaml'].map(
		read,
	),
);
const WITHIN_MS = 30_000;

test('they name settings that there are', () => {
	const names = new Set([...KEYS.map(envName), 'FORMSRV_BASE_HOST', 'FORMSRV_SUBMIT_HOST']);
	const named = [dockerfile, caddyfile, service, compose, kubernetes].flatMap(
		(content) => content?.match(/FORMSRV_\w+/g) ?? [],
	);
	expect(named.length).toBeGreaterThan(10);
	expect(named.filter((name) => !names.has(name))).toEqual([]);
});

describe('the service file', () => {
	const analyze = withProgram('systemd-analyze');

	/** Runs `systemd-analyze` over it, with the binary that was built in the place of the installed one. */
	async function analysed(...args: string[]) {
		const file = join(tempFolder(), 'formsrv.service');
		await Bun.write(file, `${service}`.replace('/usr/local/bin/formsrv', BINARY));
		const child = Bun.spawn([analyze.path, ...args, file], { stdout: 'pipe', stderr: 'pipe' });
		const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
		return { output: stdout + stderr, code };
	}

	analyze.test('is accepted by systemd', async () => {
		expect(await analysed('verify')).toEqual({ output: '', code: 0 });
	});

	test('starts the server again and again until what it needs is there', async () => {
		const env = { FORMSRV_DATABASE_URL: `postgres://forms@127.0.0.1:${freePort()}/forms` };
		expect((await runBinary(['serve'], { cwd: tempFolder(), env })).code).toBe(1);
		// By default systemd gives up after five starts within ten seconds, which take one.
		expect(service).toMatch(/^Restart=always$/m);
		expect(service).toMatch(/^StartLimitIntervalSec=0$/m);
	});

	analyze.test('restricts the server', async () => {
		const { output, code } = await analysed('security', '--offline=true', '--threshold=20', '--no-pager');
		expect({ output, code }).toMatchObject({ code: 0 });
	});
});

describe('the Dockerfile', () => {
	test.each(['amd64', 'arm64'])('builds for %s', async (architecture) => {
		const [, target = ''] = /--target "([^"]*\)[^"]*|[^\s]*\$\(.*?\))"/.exec(`${dockerfile}`) ?? [];
		const { stdout } = Bun.spawnSync(['sh', '-c', `echo "${target}"`], { env: { TARGETARCH: architecture } });
		expect(isTarget(`${stdout}`.trim())).toBe(true);
	});
});

describe('Compose', () => {
	const { services } = Bun.YAML.parse(`${compose}`) as { services: Record<string, Record<string, unknown>> };

	test('runs the image beside Caddy, which passes to the ports that it exposes', () => {
		expect(Object.keys(services)).toEqual(['formsrv', 'caddy']);
		expect(`${dockerfile}`).toContain('EXPOSE 8080 8081');
		expect(`${caddyfile}`.match(/formsrv:\d+/g)).toEqual(['formsrv:8080', 'formsrv:8081']);
	});

	test('keeps the data in a volume, where the image has it', () => {
		expect(services.formsrv?.volumes).toEqual(['data:/data']);
		expect(`${dockerfile}`).toContain('FORMSRV_DATA_DIR=/data');
	});

	test('has a folder for temporary files beside the file system that is read-only', () => {
		expect(services.formsrv).toMatchObject({ read_only: true, tmpfs: ['/tmp'] });
	});
});

const caddy = withProgram('caddy');
caddy.test(
	'behind the Caddyfile, pages and forms are reached by TLS',
	async () => {
		const cwd = tempFolder();
		const [port, submitPort, base, submit] = [freePort(), freePort(), freePort(), freePort()];
		const hosts = {
			FORMSRV_BASE_HOST: `https://localhost:${base}`,
			FORMSRV_SUBMIT_HOST: `https://localhost:${submit}`,
		};
		await using server = await startBinary({
			cwd,
			env: {
				FORMSRV_PORT: `${port}`,
				FORMSRV_SUBMIT_PORT: `${submitPort}`,
				FORMSRV_BASE_URL: hosts.FORMSRV_BASE_HOST,
				FORMSRV_SUBMIT_URL: hosts.FORMSRV_SUBMIT_HOST,
			},
		});
		const storage = join(cwd, 'caddy');
		const options = `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system ${storage}\n}\n`;
		const file = join(cwd, 'Caddyfile');
		await Bun.write(
			file,
			options +
				`${caddyfile}`.replace('formsrv:8080', `127.0.0.1:${port}`).replace('formsrv:8081', `127.0.0.1:${submitPort}`),
		);
		const proxy = Bun.spawn([caddy.path, 'run', '--adapter', 'caddyfile', '--config', file], {
			env: { ...hosts, HOME: cwd },
			stdout: 'ignore',
			stderr: 'ignore',
		});
		try {
			await runBinary(['forms', 'create', 'Contact', '--slug', 'contact'], { cwd });
			const authority = Bun.file(join(storage, 'pki/authorities/local/root.crt'));
			const get = async (url: string, init?: RequestInit): Promise<Response> => {
				// Caddy writes it at its start, in more than one step.
				const ca = await authority.text().catch(() => '');
				const response = ca === '' ? undefined : await fetch(url, { ...init, tls: { ca } }).catch(() => undefined);
				if (response) return response;
				await Bun.sleep(50);
				return get(url, init);
			};
			const page = await get(hosts.FORMSRV_BASE_HOST);
			expect({ status: page.status, type: page.headers.get('content-type') }).toMatchObject({
				status: 200,
				type: expect.stringContaining('text/html'),
			});
			const body = new URLSearchParams({ email: 'ada@example.com' });
			const headers = { accept: 'application/json' };
			const stored = await get(`${hosts.FORMSRV_SUBMIT_HOST}/f/contact`, { method: 'POST', body, headers });
			expect(stored.status).toBe(200);
			const { stdout } = await runBinary(['submissions', 'list', 'contact'], { cwd });
			expect(stdout).toContain('email=ada@example.com');
		} finally {
			proxy.kill('SIGTERM');
			await Promise.all([proxy.exited, server.end('SIGTERM')]);
		}
	},
	WITHIN_MS,
);

describe('the Kubernetes manifest', () => {
	interface Probe {
		httpGet: { path: string; port: string };
	}
	interface Container {
		ports: { name: string; containerPort: number }[];
		startupProbe: Probe;
		livenessProbe: Probe;
		readinessProbe: Probe;
		volumeMounts: { mountPath: string }[];
		env: { name: string; value: string }[];
	}
	interface StatefulSet {
		spec: {
			replicas: number;
			template: {
				spec: {
					securityContext: { runAsUser: number; fsGroup: number; fsGroupChangePolicy: string };
					containers: [Container];
				};
			};
		};
	}
	const [{ spec }, service] = Bun.YAML.parse(`${kubernetes}`) as [StatefulSet, { spec: { ports: { port: number }[] } }];
	const { securityContext, containers } = spec.template.spec;
	const [container] = containers;

	test('has one server, with user, ports and volume of the image', () => {
		expect(`${kubernetes}`).toContain(`image: formsrv:${version}\n`);
		expect(spec.replicas).toBe(1);
		const [, user] = /^USER (\d+):/m.exec(`${dockerfile}`) ?? [];
		expect([securityContext.runAsUser, securityContext.fsGroup]).toEqual([Number(user), Number(user)]);
		expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
		const ports = container.ports.map(({ containerPort }) => containerPort);
		expect(`${dockerfile}`).toContain(`EXPOSE ${ports.join(' ')}`);
		expect(service.spec.ports.map(({ port }) => port)).toEqual(ports);
	});

	test('keeps the data from other users, in a volume that is open to the group', async () => {
		const cwd = tempFolder();
		const volume = join(cwd, 'volume');
		mkdirSync(volume);
		chmodSync(volume, 0o2775);
		const { value: folder = '' } = container.env.find(({ name }) => name === 'FORMSRV_DATA_DIR') ?? {};
		const env = { FORMSRV_DATA_DIR: folder.replace('/data', volume) };
		await runBinary(['keys', 'create'], { cwd, env });
		const { code, stdout } = await runBinary(['doctor'], { cwd, env });
		expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`${volume}/formsrv 0700`) });
		// With another policy all of it would be open to the group after the next start.
		expect(securityContext.fsGroupChangePolicy).toBe('OnRootMismatch');
	});

	test('asks for what the server answers', async () => {
		await using server = await startBinary({ cwd: tempFolder() });
		const urls: Record<string, string> = { base: server.baseUrl, submit: server.submitUrl };
		const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
		const responses = await Promise.all(probes.map(({ httpGet }) => fetch(`${urls[httpGet.port]}${httpGet.path}`)));
		await server.end('SIGTERM');
		expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
	});
});

test('the workflow tests as everyone does, and releases only then', async () => {
	const { jobs } = Bun.YAML.parse(await read('.github/workflows/ci.yml')) as {
		jobs: Record<string, { needs?: string; if?: string; steps: { run?: string }[] }>;
	};
	expect(jobs.test?.steps.map(({ run }) => run)).toContain('bash .ci/run');
	expect(jobs.release).toMatchObject({ needs: 'test', if: expect.stringContaining('refs/tags/v') });
	expect(jobs.release?.steps.some(({ run = '' }) => /^npx .* run release$/.test(run))).toBe(true);
});
