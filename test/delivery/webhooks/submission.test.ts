/** A webhook's submission is the Submission of the API. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { openTestServer, type TestServer } from '../../server.ts';
import { until } from '../../until.ts';

setDefaultTimeout(30_000);

interface Shown {
	id: string;
	isSpam: boolean;
	spamScore: number;
	spamReasons: { rule: string }[];
	meta: object | null;
	files: { id: string; url?: string; isKept?: false }[];
}
interface Event {
	data: { form: { slug: string }; submission: Shown };
}

let server: TestServer;
let target: Bun.Server<undefined>;
let form: { id: string; slug: string };
const received: Event[] = [];
let arrived = Promise.withResolvers<void>();

beforeAll(async () => {
	server = await openTestServer({ settings: { FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' } });
	target = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			received.push((await request.json()) as Event);
			arrived.resolve();
			return new Response(null, { status: 204 });
		},
	});
	const json = {
		name: 'Jobs',
		fields: [
			{ name: 'message', type: 'text' },
			{ name: 'cv', type: 'file' },
		],
		unknownFields: 'drop',
		context: { page: true, utm: true, address: 'full', agent: true },
	};
	form = await server.createForm<typeof form>(json);
	await server.call(`POST /api/forms/${form.id}/webhooks`, { json: { url: target.url.href } });
});
afterAll(async () => {
	await server.close();
	await target.stop(true);
});

async function nextEvent(): Promise<Shown> {
	await arrived.promise;
	arrived = Promise.withResolvers();
	return (received.shift() as Event).data.submission;
}

/** As the API has it, without what is the owner's alone. */
async function stored({ id }: Shown): Promise<Shown> {
	type Whole = Shown & { labels: string[]; note: string | null };
	const { body } = await server.call<Whole>(`GET /api/forms/${form.id}/submissions/${id}`);
	const { labels: _, note: _note, ...shown } = body;
	return shown as Shown;
}

/** Links to files are the webhook's own. */
const withoutUrls = (shown: Shown) => ({ ...shown, files: shown.files.map(({ url: _, ...file }) => file) });

async function send(members: Record<string, string | File>): Promise<void> {
	const body = new FormData();
	for (const [name, value] of Object.entries(members)) body.append(name, value as string);
	const headers = {
		Accept: 'application/json',
		Referer: 'https://example.com/a?utm_source=b',
		'User-Agent': 'Firefox/1',
	};
	const { status } = await fetch(`${server.submitUrl}/f/${form.slug}`, { method: 'POST', body, headers });
	expect(status).toBe(200);
}

test('of a plain one, down to the order of its members', async () => {
	await send({ message: 'Hello' });
	const event = await nextEvent();
	expect(JSON.stringify(event)).toBe(JSON.stringify(await stored(event)));
	expect(event).toMatchObject({ spamScore: 0, spamReasons: [], files: [] });
});

test('of one with a file, a subject, an address for replies, points, context and dropped fields', async () => {
	const file = new File(['my life'], 'cv "1".txt');
	const message = 'Look at https://bit.ly/1 and https://bit.ly/2';
	await send({ message, other: 'x', _subject: 'Hi', _replyto: 'ada@example.com', cv: file });
	const event = await nextEvent();
	expect(withoutUrls(event)).toEqual(await stored(event));
	expect(event.spamScore).toBeGreaterThan(0);
	expect(event.spamReasons).not.toBeEmpty();
	expect(event.meta).toMatchObject({ dropped: ['other'], page: 'https://example.com/a' });
	expect(event.files).toMatchObject([{ url: expect.stringContaining('/files/') }]);
});

test('of spam that its owner marked as genuine, whose files were not kept', async () => {
	await send({ message: 'I am genuine', _gotcha: 'x', cv: new File(['a'], 'a.txt') });
	const { body } = await server.call<{ submissions: Shown[] }>(`GET /api/forms/${form.id}/submissions?filter=spam`);
	const [spam] = body.submissions as [Shown];
	expect(spam.isSpam).toBe(true);
	await server.call(`PATCH /api/forms/${form.id}/submissions/${spam.id}`, {
		json: { isSpam: false, sendWithheld: true },
	});
	const event = await nextEvent();
	expect(event).toEqual(await stored(event));
	expect(event).toMatchObject({ id: spam.id, isSpam: false, spamReasons: [{ rule: 'honeypot' }] });
	expect(event.files).toMatchObject([{ isKept: false }]);
});

test('also as the deliveries show it', async () => {
	await send({ message: 'win $1,000,000 now' });
	const event = await nextEvent();
	const { body } = await server.call<{ deliveries: { id: string }[] }>(
		`GET /api/forms/${form.id}/submissions/${event.id}/deliveries`,
	);
	const sent = async () =>
		(await server.call<{ state: string; content: Event }>(`GET /api/deliveries/${body.deliveries[0]?.id}`)).body;
	await until(async () => (await sent()).state === 'sent');
	expect((await sent()).content.data.submission).toEqual(await stored(event));
});
