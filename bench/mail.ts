/** Latency of submissions to forms with mail while the mail server is unavailable. */

import { createServer } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { type HttpRequest, sendAtRate } from './load.ts';
import type { Running } from './processes.ts';
import { jsonPost, openProduct } from './product.ts';
import { type Finding, short } from './report.ts';
import { type Effort, median } from './rounds.ts';

const PER_SECOND = 1000;
const CLOSED_PORT = 9;

interface Contestant {
	name: string;
	server: Running;
	request: HttpRequest;
	rounds: { p50Ms: number; p99Ms: number }[];
}

/** One mail server accepts everything; one accepts connections and never responds. */
async function openMailServers() {
	const well = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData: (stream, _session, done) => stream.on('end', () => done()).resume(),
	});
	const silent = createServer(() => {});
	const ports = await Promise.all(
		[well.server, silent].map(async (server) => {
			await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
			return (server.address() as { port: number }).port;
		}),
	);
	return {
		well: ports[0] as number,
		silent: ports[1] as number,
		close() {
			well.close();
			silent.close();
		},
	};
}

async function contestant(name: string, port: number): Promise<Contestant> {
	const settings = { FORMSRV_SMTP_URL: `smtp://127.0.0.1:${port}`, FORMSRV_MAIL_FROM: 'forms@example.com' };
	const product = await openProduct(`mail-${name}`, settings);
	const server = await product.start();
	const { slug } = await product.createForm(server, 'Contact', { notificationEmail: 'owner@example.com' });
	return { name, server, request: jsonPost(`/api/f/${slug}`), rounds: [] };
}

async function runRound({ server, request, rounds }: Contestant, seconds: number): Promise<void> {
	const result = await sendAtRate(server, request, { perSecond: PER_SECOND, until: Bun.sleep(seconds * 1000) });
	if (result.failed > 0) throw new Error(`${result.failed} submissions failed.`);
	rounds.push(result);
}

export async function measureMail({ rounds, seconds }: Effort): Promise<Finding[]> {
	const servers = await openMailServers();
	const all = await Promise.all([
		contestant('well', servers.well),
		contestant('unreachable', CLOSED_PORT),
		contestant('silent', servers.silent),
	]);
	for (const { server } of all) server.pause();
	for (let round = -1; round < rounds; round++) {
		for (const one of round % 2 === 0 ? all : all.toReversed()) {
			one.server.resume();
			await runRound(one, round < 0 ? 2 : seconds);
			one.server.pause();
		}
	}
	await Promise.all(all.map(({ server }) => server.stop()));
	servers.close();
	const [well, ...ill] = all as [Contestant, ...Contestant[]];
	// The first round only warms up.
	const of = ({ rounds: [, ...counted] }: Contestant, key: 'p50Ms' | 'p99Ms') =>
		median(counted.map((result) => result[key]));
	const finding = (one: Contestant, [what, key]: readonly [string, 'p50Ms' | 'p99Ms']): Finding => ({
		what: `${what} of submissions with a ${one.name} mail server ÷ with a healthy one`,
		...{ better: 'lower', must: 1.1, aim: 1, measured: of(one, key) / of(well, key) },
		detail: `${short(of(one, key))} ms ÷ ${short(of(well, key))} ms at ${PER_SECOND}/s`,
	});
	const measures = [
		['Median latency', 'p50Ms'],
		['99th percentile', 'p99Ms'],
	] as const;
	return ill.flatMap((one) => measures.map((measure) => finding(one, measure)));
}
