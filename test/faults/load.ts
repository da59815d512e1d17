/** Clients that submit, flag and remove, and note in a history what they sent and were told. */

import type { Random } from '../seeded.ts';
import { type Change, type History, NEVER, type Sent, type Slug } from './history.ts';

const SENDERS = 32;
const MARKERS = 3;
export const WORDS = ['apple', 'banana', 'cherry', 'Döner', '日本'];
const NAMES = ['name', 'email', 'message', 'a.b', '7'];
const MAX_FILE_BYTES = 120_000;
const AFTER_AN_ERROR_MS = 15;
const ENDS_WITHIN_MS = 120_000;

export interface Service {
	baseUrl: string;
	submitUrl: string;
	key: string;
	forms: Record<Slug, string>;
}

interface Place {
	service: Service;
	history: History;
	/** Position of the recording. */
	position: () => number;
	random: Random;
	nextNumber: () => number;
}

export const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** Bytes that differ from file to file, so that a mix-up shows. */
function bytesOf(n: number, i: number): Uint8Array<ArrayBuffer> {
	const bytes = new Uint8Array((n * 7919 + i * 104_729) % MAX_FILE_BYTES);
	for (let at = 0; at < bytes.length; at++) bytes[at] = (n * 31 + i * 7 + at * ((at >> 8) + 1)) & 0xff;
	return bytes;
}

const fileName = (i: number) => `${i}.bin`;

function bodyOf({ n, fields, files, isRobot }: Sent): { body: BodyInit; headers: Record<string, string> } {
	const sent = isRobot ? { ...fields, _gotcha: 'x' } : fields;
	if (files.length === 0) return { body: JSON.stringify(sent), headers: { 'Content-Type': 'application/json' } };
	const body = new FormData();
	for (const [name, value] of Object.entries(sent)) if (name !== 'cv') body.append(name, `${value}`);
	for (const [i] of files.entries()) body.append('cv', new File([bytesOf(n, i)], fileName(i)));
	return { body, headers: {} };
}

/** Sends it once. Returns what the sender knows then. */
export async function post(one: Sent, { service, position }: Pick<Place, 'service' | 'position'>): Promise<number> {
	const { body, headers } = bodyOf(one);
	try {
		const response = await fetch(`${service.submitUrl}/f/${one.slug}`, {
			method: 'POST',
			headers: { Accept: 'application/json', ...headers, ...(one.isKeyed && { 'Idempotency-Key': `key-${one.n}` }) },
			body,
			signal: AbortSignal.timeout(ENDS_WITHIN_MS),
		});
		const said = await response.text();
		if (![200, 500, 503].includes(response.status)) one.problem = `${response.status} ${said}`;
		if (response.status === 200) one.stored = Math.min(one.stored, position());
		// It promises that nothing was stored.
		if (response.status === 503 && !one.isKeyed) one.rejected = position();
		return response.status;
	} catch {
		return 0;
	}
}

export type Load = ReturnType<typeof startLoad>;

export function startLoad(place: Place) {
	const { service, history, position, random, nextNumber } = place;
	const statuses = new Map<number, number>();
	let acknowledged = 0;
	let working = SENDERS;
	/** Public ids by the number of a submission, of those that are not being changed. */
	const known = new Map<number, string>();

	function count(status: number): void {
		statuses.set(status, (statuses.get(status) ?? 0) + 1);
	}

	function newSubmission(): Sent {
		const n = nextNumber();
		const kind = random(100);
		const slug: Slug = kind < 12 ? 'told' : 'plain';
		const files = kind >= 94 ? Array.from({ length: 1 + random(2) }, (_, i) => i) : [];
		const fields: Sent['fields'] = { n: files.length > 0 ? `${n}` : n };
		for (const name of NAMES) {
			if (random(2) === 0) fields[name] = `${WORDS[random(5)]} ${WORDS[random(5)]} ${'x'.repeat(random(300))}`;
		}
		if (files.length > 0) fields.cv = files.length === 1 ? fileName(0) : files.map(fileName);
		const isRobot = slug === 'plain' && files.length === 0 && random(20) === 0;
		const described = files.map((i) => ({ name: fileName(i), sha256: sha256(bytesOf(n, i)) }));
		const isKeyed = random(8) === 0;
		return history.add({ n, slug, fields, files: described, isRobot, isKeyed, begun: position() });
	}

	async function send(): Promise<void> {
		for (;;) {
			const one = newSubmission();
			let status = await post(one, place);
			count(status);
			while (one.isKeyed && status !== 200 && status !== 0) {
				await Bun.sleep(AFTER_AN_ERROR_MS);
				status = await post(one, place);
				count(status);
			}
			if (status === 200) acknowledged++;
			else await Bun.sleep(AFTER_AN_ERROR_MS);
			if (status === 0) break;
		}
		working--;
	}

	function call(path: string, init: RequestInit = {}): Promise<Response> {
		const headers = { Authorization: `Bearer ${service.key}`, 'Content-Type': 'application/json' };
		return fetch(`${service.baseUrl}${path}`, { headers, signal: AbortSignal.timeout(ENDS_WITHIN_MS), ...init });
	}

	/** Whoever sees a submission in a list may rely on it. */
	async function look(slug: Slug): Promise<void> {
		const offset = random(3) * 100;
		const response = await call(`/api/forms/${service.forms[slug]}/submissions?limit=100&offset=${offset}`);
		if (!response.ok) return void (await response.arrayBuffer());
		const { submissions } = (await response.json()) as { submissions: { id: string; data: { n: number | string } }[] };
		const at = position();
		for (const { id, data } of submissions) {
			const one = history.get(Number(data.n));
			if (!one) continue;
			one.stored = Math.min(one.stored, at);
			if (!one.changes.some(({ flag }) => !flag)) known.set(one.n, id);
		}
	}

	/** Changes one that nobody else changes meanwhile. */
	async function change(): Promise<void> {
		const numbers = [...known.keys()];
		const n = numbers[random(numbers.length)] as number;
		const id = known.get(n) as string;
		const one = history.get(n) as Sent;
		known.delete(n);
		const isRemoval = one.slug === 'plain' && random(8) === 0;
		const flags =
			one.slug === 'plain'
				? (['isRead', 'isStarred', 'isSpam', 'isArchived'] as const)
				: (['isRead', 'isStarred', 'isArchived'] as const);
		const made: Change = { begun: position(), done: NEVER };
		if (!isRemoval) Object.assign(made, { flag: flags[random(flags.length)], value: random(3) > 0 });
		one.changes.push(made);
		const init = isRemoval
			? { method: 'DELETE' }
			: { method: 'PATCH', body: JSON.stringify({ [`${made.flag}`]: made.value }) };
		const response = await call(`/api/forms/${service.forms[one.slug]}/submissions/${id}`, init);
		await response.arrayBuffer();
		if (response.ok) made.done = position();
		if (!isRemoval) known.set(n, id);
	}

	async function mark(): Promise<void> {
		for (let i = 0; ; i++) {
			try {
				if (known.size < 10 || i % 20 === 0) await look(random(4) === 0 ? 'told' : 'plain');
				else await change();
			} catch {
				return;
			}
			await Bun.sleep(random(8));
		}
	}

	const clients = [...Array.from({ length: SENDERS }, () => send()), ...Array.from({ length: MARKERS }, () => mark())];

	return {
		statuses,
		acknowledged: () => acknowledged,
		/** Returns once so many were acknowledged, or all senders have ended. */
		async goOn(target: number, disturb: () => Promise<void>): Promise<void> {
			while (acknowledged < target && working > 0) await disturb();
		},
		/** Resolves once the server is gone. */
		async gone(): Promise<void> {
			await Promise.all(clients);
		},
	};
}
