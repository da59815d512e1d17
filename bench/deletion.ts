/** Latency of submissions while a large form is deleted. */

import { sendAtRate } from './load.ts';
import { jsonPost } from './product.ts';
import { type Finding, short } from './report.ts';
import type { Stock } from './stock.ts';

const PER_SECOND = 1000;
const QUIET_MS = 5000;
const LOOK_EVERY_MS = 200;

interface Latencies {
	p50Ms: number;
	p99Ms: number;
}

export async function measureDeletion(
	stock: Stock,
	isAnyLeft = async () => stock.product.isAnyStored(stock.form),
): Promise<Finding[]> {
	const { quiet, during, seconds } = await deleteUnderLoad(stock, isAnyLeft);
	return [
		{
			what: '99th percentile of submissions while a large form is deleted ÷ without',
			...{ better: 'lower', must: 2, aim: 1.3, measured: during.p99Ms / quiet.p99Ms },
			detail: `${short(during.p99Ms)} ms ÷ ${short(quiet.p99Ms)} ms at ${PER_SECOND}/s; gone after ${short(seconds)} s`,
		},
	];
}

/** Deletes the form of a stock beside submissions to another. */
export async function deleteUnderLoad(
	{ product, form }: Stock,
	isAnyLeft = async () => product.isAnyStored(form),
): Promise<{ quiet: Latencies; during: Latencies; seconds: number }> {
	const server = await product.start();
	const { slug } = await product.createForm(server, 'Bystander');
	const load = (until: Promise<unknown>) =>
		sendAtRate(server, jsonPost(`/api/f/${slug}`), { perSecond: PER_SECOND, until });
	await load(Bun.sleep(1000));
	const quiet = await load(Bun.sleep(QUIET_MS));
	const began = performance.now();
	const during = await load(remove());
	const seconds = (performance.now() - began) / 1000;
	await server.stop();
	if (during.failed > 0) throw new Error(`${during.failed} submissions failed during the deletion.`);
	return { quiet, during, seconds };

	async function remove(): Promise<void> {
		const response = await fetch(`${server.url}/api/forms/${form.id}`, {
			method: 'DELETE',
			headers: product.authorization,
		});
		if (!response.ok) throw new Error(`Deleting: ${response.status} ${await response.text()}`);
		while (await isAnyLeft()) await Bun.sleep(LOOK_EVERY_MS);
	}
}
