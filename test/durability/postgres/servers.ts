/** Two processes of the binary on one database, and what they begin with: a key, a form, and one that tells a webhook. */

import { type RunningBinary, runBinary, startBinary } from '../../binary.ts';
import { tempFolder } from '../../temp-folder.ts';

const FORMS = ['plain', 'told'] as const;
export type FormSlug = (typeof FORMS)[number];

export type Servers = Awaited<ReturnType<typeof startServers>>;

export interface ServersOptions {
	/** Receives what is submitted to the form `told`. */
	webhook: string;
	/** The program that each runs under. */
	prefixes?: readonly string[][];
}

/** @param address Of an empty database, as each of them sees it. */
export async function startServers(address: readonly [string, string], { webhook, prefixes }: ServersOptions) {
	const cwd = tempFolder();
	const envOf = (url: string) => ({
		FORMSRV_DATABASE_URL: url,
		FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
		FORMSRV_RATE_SUBMIT: '0',
		// All pages of a long list are read in one go.
		FORMSRV_RATE_API: '0',
		FORMSRV_LOG_LEVEL: 'error',
	});
	async function command(...args: string[]): Promise<string> {
		const { code, stdout, stderr } = await runBinary(args, { cwd, env: envOf(address[0]) });
		if (code !== 0) throw new Error(`formsrv ${args.join(' ')}: ${stderr}`);
		return stdout.trim();
	}
	for (const slug of FORMS) await command('forms', 'create', slug, '--slug', slug);
	const key = await command('keys', 'create');

	/** As often as it takes, as a supervisor would. */
	async function start(index: number): Promise<RunningBinary> {
		for (;;) {
			try {
				const prefix = prefixes?.[index] ?? [];
				return await startBinary({ cwd: tempFolder(), env: envOf(address[index] as string), prefix });
			} catch {
				await Bun.sleep(100);
			}
		}
	}
	const running = await Promise.all(address.map((_, index) => start(index)));
	const at = (index: number) => running[index % running.length] as RunningBinary;

	/** A response of the management API, once there is one that is not an error. */
	async function read<Body>(index: number, path: string, json?: unknown): Promise<Body> {
		for (;;) {
			const response = await fetch(`${at(index).baseUrl}${path}`, {
				headers: { Authorization: `Bearer ${key}`, ...(json !== undefined && { 'Content-Type': 'application/json' }) },
				...(json !== undefined && { method: 'POST', body: JSON.stringify(json) }),
			}).catch(() => undefined);
			if (response?.ok) return (await response.json()) as Body;
			if (response && response.status < 500) throw new Error(`${path}: ${await response.text()}`);
			await Bun.sleep(20);
		}
	}
	const { forms } = await read<{ forms: { id: string; slug: FormSlug }[] }>(0, '/api/forms');
	const idOf = (slug: FormSlug) => forms.find((form) => form.slug === slug)?.id as string;
	await read(0, `/api/forms/${idOf('told')}/webhooks`, { url: webhook });

	return {
		count: running.length,
		idOf,
		read,
		submitUrl: (index: number) => at(index).submitUrl,
		/** Ends one by SIGKILL, and starts it again. */
		async kill(index: number): Promise<void> {
			await at(index).end('SIGKILL');
			running[index] = await start(index);
		},
		stop: () => Promise.all(running.map((one) => one.end('SIGTERM'))),
	};
}
