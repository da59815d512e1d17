/** The load of the soak: large bodies, slow bodies, lists and exports, all at the same time. */

import { connect } from 'node:net';
import type { Form, Product } from './product.ts';
import { bodyOf, checkText, type StoredText, storedTextOf, type Text, textOf } from './soak-texts.ts';

/** Submissions that may be acknowledged and not yet delivered to all live receivers: the disk must hold them. */
const UNDELIVERED_MAX = 8;
/** Submissions that stay in the forms, for lists and exports. */
const LEFT_IN_PLACE = 12;
const WAIT_MS = 500;
const SLOW_PIECE = Buffer.alloc(64 * 1024, 'x');
const SLOW_PAUSE_MS = 1_000;
const SLOW_LASTS_MS = 20_000;
const OVERSIZED_BYTES = 24 * 1024 * 1024;

interface Pending {
	form: Form;
	kept: StoredText;
	/** Live receivers that got it. */
	receivers: Set<string>;
	submission: string;
	isAcknowledged: boolean;
	isSettling: boolean;
}

export interface LoadOptions {
	url: string;
	product: Pick<Product, 'authorization'>;
	forms: Form[];
	maxBody: number;
	/** Per form. */
	liveReceivers: number;
	until: number;
}

export function createLoad({ url, product, forms, maxBody, liveReceivers, until }: LoadOptions) {
	const { authorization } = product;
	const pending = new Map<number, Pending>();
	const checked: { form: Form; submission: string }[] = [];
	const counts = {
		acknowledged: 0,
		busy: 0,
		oversized: 0,
		delivered: 0,
		exact: 0,
		wrong: 0,
		lists: 0,
		exports: 0,
		faults: 0,
	};
	const faults = new Map<string, number>();
	let last = 0;

	const isBusy = ({ status }: Response) => status === 503 || status === 429;
	const isOver = () => Date.now() >= until;
	const ask = (path: string, options: RequestInit = {}) =>
		fetch(`${url}/api/forms${path}`, { ...options, headers: { ...authorization, ...options.headers } });

	function fault(what: string): void {
		counts.faults++;
		faults.set(what, (faults.get(what) ?? 0) + 1);
	}

	/** Repeats until the time is over; counts failures and continues. */
	async function repeat(what: string, once: () => Promise<void>): Promise<void> {
		while (!isOver()) {
			try {
				await once();
			} catch (error) {
				fault(`${what}: ${(error as Error).message}`);
				await Bun.sleep(WAIT_MS);
			}
		}
	}

	async function submit(): Promise<void> {
		if (pending.size >= UNDELIVERED_MAX) return Bun.sleep(WAIT_MS);
		const text: Text = textOf(++last, maxBody);
		const form = forms[text.number % forms.length] as Form;
		// Before sending: a receiver may get it before the response arrives here.
		const entry: Pending = {
			form,
			kept: storedTextOf(text),
			receivers: new Set(),
			submission: '',
			isAcknowledged: false,
			isSettling: false,
		};
		pending.set(text.number, entry);
		const { type, body } = bodyOf(text);
		for (;;) {
			const headers = { 'Content-Type': type, Accept: 'application/json' };
			const response = await fetch(`${url}/api/f/${form.slug}`, { method: 'POST', headers, body });
			await response.bytes();
			if (response.status === 200) {
				counts.acknowledged++;
				entry.isAcknowledged = true;
				return check(text.number);
			}
			if (!isBusy(response)) fault(`submission: ${response.status}`);
			counts.busy++;
			if (isOver()) break;
			await Bun.sleep(WAIT_MS);
		}
		pending.delete(text.number);
	}

	/** Once all live receivers got it: reads it again, compares it, and deletes it some time later. */
	async function check(number: number): Promise<void> {
		const entry = pending.get(number);
		if (!entry?.isAcknowledged || entry.receivers.size < liveReceivers || entry.isSettling) return;
		entry.isSettling = true;
		const { form, submission, kept } = entry;
		let response = await ask(`/${form.id}/submissions/${submission}`);
		while (isBusy(response)) {
			await response.bytes();
			await Bun.sleep(WAIT_MS);
			response = await ask(`/${form.id}/submissions/${submission}`);
		}
		const { isExact } = await checkText(response.body as unknown as AsyncIterable<Uint8Array>, () => kept);
		counts[isExact ? 'exact' : 'wrong']++;
		pending.delete(number);
		checked.push({ form, submission });
		const oldest = checked.length > LEFT_IN_PLACE ? checked.shift() : undefined;
		if (oldest) await (await ask(`/${oldest.form.id}/submissions/${oldest.submission}`, { method: 'DELETE' })).bytes();
	}

	async function drain(path: string): Promise<void> {
		const response = await ask(path);
		for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>);
		if (isBusy(response)) await Bun.sleep(WAIT_MS);
		else if (response.status !== 200) fault(`${path.split('/').at(-1)?.split('?')[0]}: ${response.status}`);
	}

	/** The text of a multipart body has the limit of other text, far below that of the whole body. */
	async function oversize(form: Form): Promise<void> {
		const body = new FormData();
		body.append('message', '"'.repeat(OVERSIZED_BYTES));
		const response = await fetch(`${url}/api/f/${form.slug}`, { method: 'POST', body });
		await response.bytes();
		if (response.status !== 413 && !isBusy(response)) fault(`oversized body: ${response.status}`);
		counts.oversized++;
	}

	/** Sends a body so slowly that it never completes, from its own network. */
	function dribble(network: number): Promise<void> {
		const { hostname, port } = new URL(url);
		const { slug } = forms[0] as Form;
		return new Promise((resolve) => {
			const socket = connect(Number(port), hostname);
			const timer = setInterval(() => socket.write(SLOW_PIECE), SLOW_PAUSE_MS);
			const end = setTimeout(() => socket.destroy(), Math.min(SLOW_LASTS_MS, Math.max(0, until - Date.now())));
			socket.on('error', () => {});
			socket.resume();
			socket.on('close', () => {
				clearInterval(timer);
				clearTimeout(end);
				setTimeout(resolve, WAIT_MS);
			});
			socket.write(
				`POST /api/f/${slug} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Forwarded-For: 198.51.${network}.7\r\n` +
					`Content-Type: application/json\r\nContent-Length: ${maxBody}\r\n\r\n`,
			);
		});
	}

	return {
		counts,
		faults,
		undelivered: () => pending.size,
		expected: (number: number): StoredText | undefined => pending.get(number)?.kept,
		/** A live receiver got a submission. */
		delivered(
			receiver: string,
			{ number, submission, isExact }: { number: number; submission: string; isExact: boolean },
		) {
			const entry = pending.get(number);
			// It comes a second time if the response to the first was lost.
			if (!entry) return;
			if (!isExact) counts.wrong++;
			if (!isExact || entry.receivers.has(receiver)) return;
			entry.submission = submission;
			entry.receivers.add(receiver);
			counts.delivered++;
			check(number).catch((error) => fault(`checking: ${(error as Error).message}`));
		},
		/** Runs all loops until the time is over. */
		async run(slowBodies: number): Promise<void> {
			const list = async (form: Form) => {
				await drain(`/${form.id}/submissions?limit=100`);
				counts.lists++;
			};
			const exported = async (form: Form) => {
				await drain(`/${form.id}/export?format=ndjson`);
				counts.exports++;
			};
			await Promise.all([
				repeat('submission', submit),
				repeat('submission', submit),
				...forms.flatMap((form) => [
					repeat('list', () => list(form)),
					repeat('list', () => list(form)),
					repeat('export', () => exported(form)),
				]),
				...(maxBody < OVERSIZED_BYTES ? forms.map((form) => repeat('oversized body', () => oversize(form))) : []),
				...Array.from({ length: slowBodies }, (_, network) => repeat('slow body', () => dribble(network))),
			]);
		},
	};
}
