/** All that the API shows of a database, so that what one version showed can be looked for in what a later one shows. */

import type { Client } from './client.ts';

/** Responses of the API, by route; members that change by themselves as time passes are left out. */
export type Seen = Record<string, unknown>;
type Row = Record<string, unknown> & { id: string };

const FILTERS = ['all', 'unread', 'starred', 'spam'];
const SEARCHES = ['needle', 'zoë', '山田', 'grüß'];
/** Deliveries in these states change. */
const UNDER_WAY = ['waiting', 'sending'];
/** By time and use. */
const CHANGING = ['lastUsedAt', 'nextDeletion'];

export async function see(client: Client): Promise<Seen> {
	const seen: Seen = {};
	async function keep(path: string): Promise<Record<string, Row[]>> {
		const body = await client.call<Record<string, Row[]>>(`GET ${path}`);
		if (body !== undefined) seen[path] = withoutChanging(body);
		return body ?? {};
	}
	const { forms = [] } = await keep('/api/forms');
	await keep('/api/lists');
	const { keys = [] } = await keep('/api/keys');
	// Using a key notes it, so that the list is in order of creation alone.
	seen['/api/keys'] = withoutChanging({ keys: byId(keys) });
	for (const { id } of forms) {
		const path = `/api/forms/${id}`;
		await keep(path);
		await keep(`${path}/lists`);
		await seeSubmissions(client, path, keep);
		const { webhooks = [] } = (await client.call<Record<string, Row[]>>(`GET ${path}/webhooks`)) ?? {};
		seen[`${path}/webhooks`] = webhooks.map((webhook) => ({
			id: webhook.id,
			url: webhook.url,
			events: webhook.events,
		}));
		seen[`${path}/deliveries`] = await seeDeliveries(client, path);
	}
	return seen;

	async function seeSubmissions(client: Client, path: string, keep: (path: string) => Promise<Record<string, Row[]>>) {
		const attached: Record<string, string> = {};
		for (const filter of FILTERS) {
			const list = `${path}/submissions?filter=${filter}&limit=100`;
			await keep(`${list}&offset=1200`);
			await keep(`${list}&order=asc`);
			const { submissions = [] } = await keep(list);
			for (const { id, files } of submissions)
				for (const file of (files as Row[] | undefined) ?? [])
					if (file.isKept !== false)
						attached[file.id] = await client.sha256(`${path}/submissions/${id}/files/${file.id}`);
			seen[`${path}/export?format=ndjson&filter=${filter}`] = await readExport(client, path, filter);
			await explain(client, path, submissions[0]);
		}
		seen[`${path} files`] = attached;
		for (const word of SEARCHES) await keep(`${path}/submissions?search=${encodeURIComponent(word)}`);
	}

	/** Without the points, which each version gives as it sees fit. */
	async function explain(client: Client, path: string, submission: Row | undefined): Promise<void> {
		if (!submission) return;
		type Words = Record<string, { learnt: unknown }>;
		const route = `${path}/submissions/${submission.id}/spam`;
		const body = await client.call<{ words: Words }>(`GET ${route}`);
		if (body) seen[route] = { form: body.words.form?.learnt, server: body.words.server?.learnt };
	}
}

async function readExport(client: Client, path: string, filter: string): Promise<unknown[]> {
	const text = await client.text(`${path}/export?format=ndjson&filter=${filter}`);
	return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

async function seeDeliveries(client: Client, path: string): Promise<unknown> {
	const found: Row[] = [];
	for (let offset = 0; ; offset += 100) {
		const { deliveries = [] } =
			(await client.call<Record<string, Row[]>>(`GET ${path}/deliveries?limit=100&offset=${offset}`)) ?? {};
		found.push(...deliveries);
		if (deliveries.length < 100) break;
	}
	return byId(found.map((row) => (UNDER_WAY.includes(`${row.state}`) ? pending(row) : row)));
}

const pending = ({ id, form, submission, channel, event, destination, webhook }: Row): Row => ({
	id,
	form,
	submission,
	channel,
	event,
	destination,
	webhook,
});

const byId = (rows: Row[]) => Object.fromEntries(rows.map((row) => [row.id, row]));

function withoutChanging<T>(body: T): T {
	return JSON.parse(JSON.stringify(body, (name, value) => (CHANGING.includes(name) ? undefined : value)));
}
