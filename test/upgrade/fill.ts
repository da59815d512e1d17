/** Fills the database of a running server, of any version, with data of every kind that the version knows. */

import { solveChallenge } from 'altcha-lib/v1';
import type { SettingName } from '../../src/forms/settings.ts';
import { until } from '../until.ts';
import { type Client, PATIENCE } from './client.ts';
import { REJECTED_MAILBOX, type Targets } from './targets.ts';

interface Form {
	id: string;
}
type Row = { id: string; data: Record<string, unknown> };

/** Several blocks of counts. */
const MANY = 2600;
const AT_ONCE = 50;
/** From so many marks of each kind on the models have a say. */
const MARKS = 24;
const OWNER = 'owner@example.com';

const FIELDS = [
	{ name: 'email', type: 'email', label: 'E-Mail', required: true },
	{ name: 'message', type: 'text', maxLength: 2000, pattern: '[^<]*' },
	{ name: 'topic', type: 'select', options: ['Sales', 'Help'] },
];

/** A value other than the default for each setting, set one after the other. */
export const SETTINGS: Record<Exclude<SettingName, 'name' | 'slug' | 'isActive'>, unknown> = {
	notificationEmail: 'Ada <ada@example.com>, grace@example.com',
	notification: { bcc: 'archive@example.com', subject: '{{form.name}}: {{topic}}', fields: ['email', 'message'] },
	routes: [{ where: [{ field: 'topic', is: 'Sales' }], to: 'Zoë <sales@example.com>' }],
	timeZone: 'Europe/Berlin',
	redirectUrl: 'https://example.com/thanks?a=ü',
	allowedDomains: ['example.com', 'localhost'],
	captcha: 'altcha',
	spam: { threshold: 4, honeypot: ['_gotcha', 'website'] },
	files: { maxFiles: 3, maxBytes: 123_456, types: ['image/*', '.pdf'], onRefused: 'drop' },
	attachFiles: true,
	opensAt: '2020-01-01T00:00:00Z',
	closesAt: '2999-01-01T00:00:00Z',
	maxSubmissions: 1000,
	closedText: 'Closed — bis später.',
	language: 'en',
	pages: { thanks: { title: 'Grüße', text: 'Bis bald.', linkUrl: null, linkLabel: null }, accent: '#1d6b57' },
	fields: FIELDS.map((rule) => (rule.name === 'email' ? { ...rule, unique: true, onDuplicate: 'keepFirst' } : rule)),
	confirm: null,
	autoresponder: { field: 'email', subject: 'About {{topic}}', text: 'Thank you.', delayMinutes: 10_080 },
	unknownFields: 'drop',
	context: { page: true, utm: true, address: 'network', agent: true },
	retention: { days: 3650, spamDays: 3600, filesDays: 3600 },
	aliases: ['formspree', 'netlify'],
	views: [{ name: 'Urgent', query: 'label=urgent' }],
	keptIn: 'forms.toml',
};

/** For versions that do not know the ones above. */
const SIMPLER: Partial<typeof SETTINGS> = {
	notificationEmail: 'ada@example.com, grace@example.com',
	files: { maxFiles: 3, maxBytes: 123_456, types: ['image/*', '.pdf'] },
	fields: FIELDS,
};

const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

/** Submissions as JSON text: exactly this is kept. */
const EXACT = [
	'{"name":"Zoë","n":12345678901234567890123456789012,"deep":{"a":[1,{"b":null}]},"\\ud800":"\\u0000"}',
	'{"z":1,"a":2,"名前":"山田","link":"https://example.com/?q=1","message":"Grüße, مرحبا"}',
	'{"email":"grace@example.com","_replyto":"grace@example.com","_subject":"A \\"quoted\\" subject","message":"searched needle"}',
];

function withFiles(fields: Record<string, string>): FormData {
	const body = new FormData();
	for (const [name, value] of Object.entries(fields)) body.append(name, value);
	body.append('cv', new File([PNG], 'Lebenslauf ü.png', { type: 'image/png' }));
	body.append('cv', new File(['plain text of a file\n'], 'notes.txt', { type: 'text/plain' }));
	return body;
}

/** First half: everything that waits is to be held afterwards. */
export async function fillFirst(client: Client, { webhooks }: Targets): Promise<void> {
	const form = await client.need<Form>('POST /api/forms', {
		name: 'Contact',
		slug: 'former',
		notificationEmail: OWNER,
	});
	await client.need(`PATCH /api/forms/${form.id}`, { slug: 'contact' });
	const hooks = `POST /api/forms/${form.id}/webhooks`;
	const away = await client.need<Form>(hooks, { url: webhooks.away, events: ['submission.created'] });
	await client.need(`POST /api/forms/${form.id}/webhooks/${away.id}/rotate-secret`, {});
	await client.need(hooks, { url: webhooks.takes, events: ['submission.created'] });
	for (const text of EXACT) await client.submit('contact', text);
	await until(async () => (await states(client)).has('webhook sent'), PATIENCE);
}

/** Second half. One webhook does not respond, so that a request to it is in flight most of the time. */
export async function fill(client: Client, test: Client, targets: Targets): Promise<void> {
	const { forms } = await client.need<{ forms: (Form & { slug: string })[] }>('GET /api/forms');
	const contact = forms.find(({ slug }) => slug === 'contact') as Form;
	await fillContact(client, contact, targets);
	const earlier = JSON.stringify({ data: { message: 'imported' }, createdAt: '2020-02-29T12:00:00Z', isRead: true });
	await client.send(`/api/forms/${contact.id}/import`, 'application/x-ndjson', earlier);
	await fillSettings(client);
	await fillVisitorMails(client);
	await fillPending(client);
	await fillMany(client);
	await teach(client);
	await fillLists(client, contact);
	const gone = await client.need<Form>('POST /api/forms', { name: 'Gone', slug: 'deleted-form' });
	await client.submit('deleted-form', EXACT[0] as string);
	await client.need(`DELETE /api/forms/${gone.id}`);
	await test.need('POST /api/forms', { name: 'Trial', slug: 'trial', notificationEmail: OWNER });
	await test.submit('trial', '{"message":"captured"}');
	await until(async () => {
		const found = await states(client);
		return ['mail sent', 'mail failed', 'mail gathered', 'webhook waiting'].every((one) => found.has(one));
	}, PATIENCE);
	await until(async () => {
		const path = `GET /api/forms/${contact.id}/submissions?search=last`;
		return (await client.need<{ submissions: Row[] }>(path)).submissions.length === 1;
	}, PATIENCE);
}

async function fillContact(client: Client, { id }: Form, { webhooks }: Targets): Promise<void> {
	const hooks = `POST /api/forms/${id}/webhooks`;
	await client.need(hooks, { url: webhooks.gone, events: ['submission.created'] });
	await client.call(hooks, { url: webhooks.takes, events: ['submission.created', 'submission.spam'] });
	await client.submit('contact', new URLSearchParams('a=1&a=2&b%5B%5D=x&empty=&email=eve%40example.com'));
	await client.submit('contact', withFiles({ message: 'with files' }));
	await client.submit('contact', withFiles({ message: 'with files, from a robot', _gotcha: 'x' }));
	await client.submit('contact', '{"message":"from a robot","_gotcha":"x"}');
	await client.submit(
		'contact',
		'{"message":"CHEAP VIAGRA http://a.ru http://b.ru http://c.ru http://d.ru $5,000,000"}',
	);
	for (let i = 0; i < 2; i++) await client.submit('contact', '{"message":"once"}', { 'Idempotency-Key': 'key-1' });
	for (const word of ['read', 'starred', 'marked', 'removed']) await client.submit('contact', `{"message":"${word}"}`);
	const find = async (text: string) => {
		const { submissions } = await client.need<{ submissions: Row[] }>(`GET /api/forms/${id}/submissions?limit=100`);
		return `/api/forms/${id}/submissions/${submissions.find(({ data }) => data.message === text)?.id}`;
	};
	await client.need(`PATCH ${await find('read')}`, { isRead: true });
	await client.need(`PATCH ${await find('starred')}`, { isRead: true, isStarred: true });
	await client.need(`PATCH ${await find('marked')}`, { isSpam: true });
	await client.need(`DELETE ${await find('removed')}`);
	await client.need('POST /api/forms', { name: 'Rejected', slug: 'rejected', notificationEmail: REJECTED_MAILBOX });
	await client.submit('rejected', '{"message":"its mail fails"}');
	await client.need(hooks, { url: webhooks.hangs, events: ['submission.created'] });
	await client.submit('contact', '{"message":"the last one"}');
}

async function fillSettings(client: Client): Promise<void> {
	const { id } = await client.need<Form>('POST /api/forms', { name: 'All settings “ü”', slug: 'all-settings' });
	for (const [name, value] of [...Object.entries(SIMPLER), ...Object.entries(SETTINGS)])
		await client.call(`PATCH /api/forms/${id}`, { [name]: value });
	const fields = { email: 'mallory@example.com', message: 'hello', other: 'dropped' };
	const page = 'https://example.com/page?utm_source=news';
	await submitSolved(client, 'all-settings', fields, { Origin: 'https://example.com', Referer: page });
	const paused = await client.need<Form>('POST /api/forms', { name: 'Paused', slug: 'paused', isActive: false });
	await client.call(`PATCH /api/forms/${paused.id}`, { files: null });
}

/** Submits with a solved captcha. */
async function submitSolved(client: Client, slug: string, fields: object, headers: Record<string, string> = {}) {
	const sent = (await client.challenge(slug, headers)) as Record<string, string>;
	const { algorithm, challenge, salt, signature, maxnumber } = sent;
	const solved = await solveChallenge(`${challenge}`, `${salt}`, `${algorithm}`, Number(maxnumber)).promise;
	const altcha = btoa(JSON.stringify({ algorithm, challenge, salt, signature, number: solved?.number }));
	await client.submit(slug, JSON.stringify({ ...fields, altcha }), headers);
}

/** The mail server of this visitor rejects the automatic response, so that its address gets no more. */
async function fillVisitorMails(client: Client): Promise<void> {
	const { id } = await client.need<Form>('POST /api/forms', { name: 'Answered', slug: 'answered' });
	const settings = { captcha: 'altcha', autoresponder: { field: 'email' } };
	if ((await client.call(`PATCH /api/forms/${id}`, settings)) === undefined) return;
	await submitSolved(client, 'answered', { email: REJECTED_MAILBOX });
	await until(async () => (await states(client)).has('visitor failed'), PATIENCE);
}

/** One waits for its visitor to confirm the address. */
async function fillPending(client: Client): Promise<void> {
	const { id } = await client.need<Form>('POST /api/forms', { name: 'Confirmed', slug: 'confirmed' });
	if ((await client.call(`PATCH /api/forms/${id}`, { confirm: { field: 'email' } })) === undefined) return;
	await client.submit('confirmed', '{"email":"ada@example.com"}');
}

async function fillMany(client: Client): Promise<void> {
	const { id } = await client.need<Form>('POST /api/forms', { name: 'Many', slug: 'many' });
	for (let sent = 0; sent < MANY; sent += AT_ONCE) {
		const batch = Array.from({ length: AT_ONCE }, (_, i) => `{"n":${sent + i},"word":"w${(sent + i) % 17}"}`);
		await Promise.all(batch.map((text) => client.submit('many', text)));
	}
	const ids: string[] = [];
	for (let offset = 0; offset < 1500; offset += 100) {
		const path = `GET /api/forms/${id}/submissions?limit=100&offset=${offset}`;
		ids.push(...(await client.need<{ submissions: Row[] }>(path)).submissions.map((row) => row.id));
	}
	const change = (ids: string[], set: object) => client.need(`PATCH /api/forms/${id}/submissions`, { ids, set });
	await change(ids.slice(50, 150), { isRead: true });
	await change(ids.slice(900, 1000), { isRead: true });
	await change(ids.slice(130, 170), { isStarred: true });
	await change(ids.slice(200, 230), { isSpam: true });
	await client.need(`POST /api/forms/${id}/submissions/delete`, { ids: ids.slice(1100, 1200) });
}

async function teach(client: Client): Promise<void> {
	const { id } = await client.need<Form>('POST /api/forms', { name: 'Pottery', slug: 'pottery' });
	for (let i = 0; i < MARKS; i++) {
		await client.submit(
			'pottery',
			`{"message":"We wash gutters and windows of offices in town, crew ${i} is near you"}`,
		);
		await client.submit(
			'pottery',
			`{"message":"Does the course on pottery in week ${i} have a place for my daughter"}`,
		);
	}
	const { submissions } = await client.need<{ submissions: Row[] }>(`GET /api/forms/${id}/submissions?limit=100`);
	for (const isSpam of [true, false]) {
		const ids = submissions.filter(({ data }) => `${data.message}`.includes('gutters') === isSpam).map((row) => row.id);
		await client.need(`PATCH /api/forms/${id}/submissions`, { ids, set: { isSpam } });
	}
	type Explanation = { words: { form: { learnt: { spam: number } | null } } };
	const path = `GET /api/forms/${id}/submissions/${submissions[0]?.id}/spam`;
	if ((await client.call(path)) === undefined) return;
	await until(async () => {
		const { words } = await client.need<Explanation>(path);
		return (words.form.learnt?.spam ?? 0) >= MARKS;
	}, PATIENCE);
}

async function fillLists(client: Client, { id }: Form): Promise<void> {
	await client.call('PATCH /api/lists', { block: ['domain:spam.example', 'text:casino ü'] });
	await client.call(`PATCH /api/forms/${id}/lists`, { allow: ['email:friend@spam.example'] });
}

/** Channels and states of all deliveries, as in `mail sent`. */
export async function states(client: Client): Promise<Set<string>> {
	type Delivery = { channel: string; state: string };
	const { deliveries } = await client.need<{ deliveries: Delivery[] }>('GET /api/deliveries?limit=100');
	return new Set(deliveries.map(({ channel, state }) => `${channel} ${state}`));
}
