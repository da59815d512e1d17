/** The load of an ordinary hour: submissions at a fixed rate, and owners who read, search, count and export meanwhile. */

import { type Fields, fieldsOf } from './mix.ts';
import type { Form, Product } from './product.ts';

/** Each submission is known by its number, which stands in this field. */
export const NUMBER = 'sequence';
/** Larger than a ZIP's or a mail's text, small beside the disk: two of them are sent a second. */
const FILE_BYTES = 20_000;
const PAGE = 50;
const WORDS = ['example', 'house', 'Termin', 'Musik', 'precio', 'Wohnung', 'garden'];
/** A request that takes longer is a fault. */
const PATIENCE_MS = 10_000;

export type Forms = Record<'plain' | 'webhook' | 'mail' | 'files', Form>;

/** The form of a submission by its number; of 250 in turn, 25 are sent on by a webhook, one by mail, one with a file. */
export function formOf(number: number): keyof Forms {
	const turn = number % 250;
	if (turn === 0) return 'mail';
	if (turn === 125) return 'files';
	return turn % 10 === 3 ? 'webhook' : 'plain';
}

export function createHourLoad({ url, product, forms }: { url: string; product: Product; forms: Forms }) {
	const bodies = fieldsOf('mix');
	const file = new Blob(['%PDF-1.4\n', new Uint8Array(FILE_BYTES).fill(7)], { type: 'application/pdf' });
	const acknowledged: number[] = [];
	const faults = new Map<string, number>();
	const counts = { reads: 0, exports: 0, rejected: 0, inFlight: 0 };
	let latencies: number[] = [];
	let next = 0;

	function fault(what: string): void {
		faults.set(what, (faults.get(what) ?? 0) + 1);
	}

	async function submit(number: number, due: number): Promise<void> {
		const name = formOf(number);
		const fields = { ...(bodies[number % bodies.length] as Fields), [NUMBER]: String(number) };
		const isFile = name === 'files';
		const body = isFile ? new FormData() : JSON.stringify(fields);
		if (body instanceof FormData) {
			for (const [field, value] of Object.entries(fields)) body.append(field, value);
			body.append('attachment', file, 'offer.pdf');
		}
		const headers = { Accept: 'application/json', ...(!isFile && { 'Content-Type': 'application/json' }) };
		counts.inFlight++;
		try {
			const signal = AbortSignal.timeout(PATIENCE_MS);
			const response = await fetch(`${url}/api/f/${forms[name].slug}`, { method: 'POST', headers, body, signal });
			await response.bytes();
			if (response.status === 200) acknowledged.push(number);
			else if (response.status === 429 || response.status === 503) counts.rejected++;
			else fault(`submission: ${response.status}`);
			latencies.push(performance.now() - due);
		} catch (error) {
			fault(`submission: ${(error as Error).name}`);
		}
		counts.inFlight--;
	}

	async function ask(path: string): Promise<void> {
		try {
			const response = await fetch(`${url}/api/forms/${path}`, { headers: product.authorization });
			for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>);
			if (response.status !== 200) fault(`${path.replace(/^\w+/, '{id}')}: ${response.status}`);
		} catch (error) {
			fault(`${path.replace(/^\w+/, '{id}')}: ${(error as Error).message}`);
		}
	}

	return {
		acknowledged,
		faults,
		counts,
		/** Milliseconds from the moment a submission was due to its response, since the last call; sorted. */
		takeLatencies(): number[] {
			const taken = latencies.sort((a, b) => a - b);
			latencies = [];
			return taken;
		},
		submitOnce: () => submit(next++, performance.now()),
		/** Sends at a fixed rate until then; a late response delays no later request. */
		async submitAtRate(perSecond: number, untilMs: number): Promise<void> {
			const began = performance.now();
			for (let sent = 0; Date.now() < untilMs; ) {
				const due = began + (sent * 1000) / perSecond;
				if (performance.now() < due) {
					await Bun.sleep(1);
					continue;
				}
				sent++;
				void submit(next++, due);
			}
		},
		/** Reads every fifth of a second: pages of every form, searches, statistics; small exports each minute, a large one every ten. */
		async readUntil(untilMs: number): Promise<void> {
			const ids = Object.values(forms).map(({ id }) => id);
			for (let turn = 0; Date.now() < untilMs; turn++) {
				const id = ids[turn % ids.length] as string;
				const word = WORDS[turn % WORDS.length] as string;
				await ask(`${id}/submissions?limit=${PAGE}&offset=${(turn % 20) * PAGE}`);
				if (turn % 5 === 1) await ask(`${id}/submissions?limit=${PAGE}&search=${word}&filter=all`);
				if (turn % 5 === 2) await ask(`${id}/submissions?limit=${PAGE}&order=asc&filter=unread`);
				if (turn % 5 === 3) await ask(`${id}/stats`);
				counts.reads++;
				if (turn % 300 === 150) await ask(`${forms.mail.id}/export?format=csv`).then(() => counts.exports++);
				if (turn % 3000 === 1500) await ask(`${forms.plain.id}/export?format=ndjson`).then(() => counts.exports++);
				await Bun.sleep(200);
			}
		},
	};
}
