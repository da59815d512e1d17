/** Double opt-in: what is pending shows and counts nowhere, a link's button confirms it, once, and then it is as any other. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createAddressKeys } from '../../src/delivery/visitor/address-keys.ts';
import { decodeId } from '../../src/ids.ts';
import { LANGUAGES } from '../../src/languages/languages.ts';
import { deliveries } from '../../src/storage/tables.ts';
import { applyRetention } from '../../src/submissions/retention.ts';
import { DAY_MS } from '../../src/tasks/durations.ts';
import { startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';

setDefaultTimeout(60_000);

interface Form {
	id: string;
	slug: string;
	submissionCount: number;
	unreadCount: number;
	pendingCount: number;
}
interface Row {
	id: string;
	data: Record<string, unknown>;
	createdAt: string;
	isPending: boolean;
	confirmedAt: string | null;
	isSpam: boolean;
}
interface List {
	submissions: Row[];
	fields: string[];
	pagination: { total: number };
}

let server: TestServer;
let peer: Awaited<ReturnType<typeof startScriptedSmtp>>;
let receiver: ReturnType<typeof Bun.serve>;
let at = Date.now();
/** The names of the events that the webhooks got, with the ids of the submissions. */
const events: string[] = [];
let made = 0;

beforeAll(async () => {
	peer = await startScriptedSmtp();
	receiver = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		async fetch(request) {
			const { type, data } = (await request.json()) as { type: string; data: { submission: { id: string } } };
			events.push(`${type} ${data.submission.id}`);
			return new Response('ok');
		},
	});
	server = await openTestServer({
		settings: {
			FORMSRV_SMTP_URL: peer.url,
			FORMSRV_MAIL_FROM: 'forms@example.com',
			FORMSRV_WEBHOOK_ALLOW: '127.0.0.1',
			FORMSRV_RATE_SUBMIT: '0',
		},
		now: () => at,
	});
});
afterAll(async () => {
	await server.close();
	await Promise.all([peer.close(), receiver.stop(true)]);
});

async function makeForm(settings: object = {}): Promise<Form> {
	return server.createForm({ name: 'News', slug: `news-${++made}`, confirm: { field: 'email' }, ...settings });
}

const readForm = async ({ id }: Form) => (await server.call<Form>(`GET /api/forms/${id}`)).body;
const list = async ({ id }: Form, query = '') =>
	(await server.call<List>(`GET /api/forms/${id}/submissions?limit=100&${query}`)).body;
const pending = (form: Form) => list(form, 'filter=pending');
const linkIn = (content: string) => /https?:\/\/\S+\/confirm\/[\w.-]+[\w-]{43}/.exec(content)?.[0] ?? '';

const mailsTo = (address: string) => peer.accepted.filter(({ to }) => to.includes(address));

/** Submits, and resolves with the link of the mail that comes of it. */
async function linkFor(form: Form, fields: { email: string } & Record<string, unknown>): Promise<string> {
	const before = mailsTo(fields.email).length;
	expect((await server.submit(form.slug, fields)).status).toBe(200);
	const { content } = await until(() => mailsTo(fields.email)[before]);
	return linkIn(content.replaceAll('=\r\n', '').replaceAll('=3D', '='));
}

const press = async (link: string) => (await fetch(link, { method: 'POST' })).status;
const email = () => `a${++made}@example.com`;

test('the response says what to do, in every language; of spam the same', async () => {
	const form = await makeForm();
	const said = new Set<string>();
	for (const language of LANGUAGES) {
		const headers = { 'Accept-Language': language };
		const { body } = await server.submit(form.slug, { email: email() }, headers);
		expect(body).toEqual({ success: true, message: expect.any(String), pending: true } as never);
		expect((await server.submit(form.slug, { email: email(), _gotcha: 'x' }, headers)).body).toEqual(body);
		said.add(body.message);
	}
	expect(said.size).toBe(LANGUAGES.length);
	const html = await server.submit(form.slug, { email: email() }, { Accept: 'text/html' });
	expect([html.status, html.headers.get('Location')]).toEqual([303, `/f/${form.slug}/thanks`]);
	const page = await (await fetch(`${server.submitUrl}/f/${form.slug}/thanks`)).text();
	expect(page).toContain('Almost done: please open the link in the mail');
	expect(page).not.toContain('Your message has been sent.');
});

test('what is pending is in no list, count, search, export or number but its own, and nothing goes out but the mail', async () => {
	const form = await makeForm({ notificationEmail: 'owner@example.com', autoresponder: { field: 'email' } });
	await server.call(`POST /api/forms/${form.id}/webhooks`, {
		json: {
			url: receiver.url.href,
			events: ['submission.created', 'submission.confirmed', 'submission.updated', 'submission.deleted'],
		},
	});
	const [address, told] = [email(), events.length];
	const link = await linkFor(form, { email: address, hidden: 'pineapple' });
	await server.app.storage.search.catchUp();
	for (const query of ['', 'filter=unread', 'filter=starred', 'filter=spam', 'search=pineapple', 'since=2020-01-01'])
		expect(await list(form, query)).toMatchObject({ submissions: [], fields: [], pagination: { total: 0 } });
	expect(await readForm(form)).toMatchObject({ submissionCount: 0, unreadCount: 0, pendingCount: 1 });
	const stats = await server.call<object>(`GET /api/forms/${form.id}/stats`);
	expect(stats.text).not.toMatch(/[1-9]\d*(?=[,\]}])/);
	expect((await server.call(`GET /api/forms/${form.id}/export?format=ndjson`)).text).toBe('');
	expect((await server.call(`GET /api/forms/${form.id}/export?format=ndjson&filter=pending`)).text).toContain(
		'pineapple',
	);
	const shown = await pending(form);
	expect(shown).toMatchObject({
		submissions: [{ isPending: true, confirmedAt: null, isSpam: false }],
		fields: ['email', 'hidden'],
		pagination: { total: 1 },
	});
	expect((await list(form, 'filter=pending&search=pineapple')).pagination.total).toBe(1);
	const { id = '' } = shown.submissions[0] ?? {};
	// Neither by hand nor by a mark.
	const path = `/api/forms/${form.id}/submissions/${id}` as const;
	const marked = await server.call<Row>(`PATCH ${path}`, { json: { isSpam: false, isRead: true, isPending: false } });
	expect(marked.body).toMatchObject({ isPending: true, isSpam: false });
	await server.call(`PATCH ${path}`, { json: { isRead: false } });
	const channels = async () =>
		(await server.app.storage.db.select().from(deliveries))
			.filter(({ submissionId }) => submissionId === decodeId(id))
			.map(({ channel, event }) => `${channel} ${event}`);
	expect(await channels()).toEqual(['visitor submission.confirmation-asked']);
	expect(mailsTo(address)[0]?.content).not.toContain('pineapple');

	for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200);
	const page = await fetch(link);
	expect(await page.text()).toContain('<form method="post"><button>Confirm address</button></form>');
	expect(page.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
	expect(page.headers.get('Content-Security-Policy')).toEndWith("frame-ancestors 'none'");
	expect(page.headers.get('Referrer-Policy')).toBeTruthy();
	expect(page.headers.get('Set-Cookie')).toBeNull();
	expect((await pending(form)).pagination.total).toBe(1);

	at += 1000;
	expect(await press(link)).toBe(200);
	const [row] = (await list(form)).submissions;
	expect(row).toMatchObject({ id, isPending: false, confirmedAt: new Date(at).toISOString() });
	expect(await readForm(form)).toMatchObject({ submissionCount: 1, unreadCount: 1, pendingCount: 0 });
	expect((await list(form, 'search=pineapple')).pagination.total).toBe(1);
	expect((await list(form)).fields).toEqual(['email', 'hidden']);
	const owners = () => mailsTo('owner@example.com').length;
	await until(() => events.length >= told + 2 && mailsTo(address).length >= 2 && owners() >= 1);
	expect(events.slice(told).sort()).toEqual([`submission.confirmed ${id}`, `submission.created ${id}`]);
	// Once: again it says the same, and does nothing.
	const sent = (await channels()).length;
	for (let times = 0; times < 2; times++) expect(await press(link)).toBe(200);
	expect((await (await fetch(link)).text()).includes('<button>')).toBe(false);
	expect((await channels()).length).toBe(sent);
	const csv = (await server.call(`GET /api/forms/${form.id}/export?format=csv`)).text;
	expect(csv).toContain('isSpam,confirmedAt,email');
	expect(csv).toContain(new Date(row?.confirmedAt ?? '').toISOString());
});

test('what was archived while it waited comes to the inbox', async () => {
	const form = await makeForm();
	const links = [await linkFor(form, { email: email() }), await linkFor(form, { email: email() })];
	const { submissions } = await pending(form);
	for (const { id } of submissions)
		await server.call(`PATCH /api/forms/${form.id}/submissions/${id}`, { json: { isArchived: true } });
	expect(await readForm(form)).toMatchObject({ archivedPendingCount: 2 });
	expect(await press(links[0] as string)).toBe(200);
	expect((await list(form, 'archived=false')).pagination.total).toBe(1);
	expect(await readForm(form)).toMatchObject({ submissionCount: 1, archivedCount: 0, archivedPendingCount: 1 });
});

test('one link confirms all that waits for the address in its form, whoever presses it how often at a time', async () => {
	const form = await makeForm();
	const other = await makeForm();
	const address = email();
	const link = await linkFor(form, { email: address, n: 0 });
	for (let n = 1; n < 120; n++) await server.submit(form.slug, { email: n % 2 ? address.toUpperCase() : address, n });
	await linkFor(other, { email: address });
	await server.submit(form.slug, { email: email() });
	expect((await pending(form)).pagination.total).toBe(121);
	const statuses = await Promise.all(Array.from({ length: 5 }, () => press(link)));
	expect(new Set(statuses)).toEqual(new Set([200]));
	expect([(await pending(form)).pagination.total, (await list(form)).pagination.total]).toEqual([1, 120]);
	expect((await pending(other)).pagination.total).toBe(1);
});

test('a full form stays full: what waits goes on waiting; it takes a place when it is confirmed', async () => {
	const form = await makeForm({ maxSubmissions: 2 });
	const links: string[] = [];
	for (let i = 0; i < 3; i++) links.push(await linkFor(form, { email: email() }));
	expect(await Promise.all(links.map(press))).toContain(403);
	expect((await readForm(form)).submissionCount).toBe(2);
	expect((await server.submit(form.slug, { email: email() })).body.code).toBe('FORM_FULL');
	const [first] = (await list(form)).submissions;
	await server.call(`DELETE /api/forms/${form.id}/submissions/${first?.id}`);
	const states = await Promise.all(links.map(press));
	expect((await readForm(form)).submissionCount).toBe(2);
	expect(states.filter((status) => status === 200)).toHaveLength(2);
});

test('a value that must be unique is held from the confirmation on: nobody keeps an address from another by waiting', async () => {
	const form = await makeForm({
		fields: [
			{ name: 'email', type: 'email' },
			{ name: 'seat', type: 'text', unique: true },
		],
	});
	const [ada, bob] = [
		await linkFor(form, { email: email(), seat: '1a' }),
		await linkFor(form, { email: email(), seat: '1a' }),
	];
	expect([await press(bob), await press(ada)]).toEqual([200, 409]);
	expect((await server.submit(form.slug, { email: email(), seat: '1a' })).status).toBe(400);
	expect([(await list(form)).pagination.total, (await pending(form)).pagination.total]).toEqual([1, 1]);
});

test('a rule that is gone keeps nothing waiting, and one that is left still does', async () => {
	const [seat, row] = ['seat', 'row'].map((name) => ({ name, type: 'text', unique: true }));
	const form = await makeForm({ fields: [{ name: 'email', type: 'email' }, seat, row] });
	const sameSeat = await linkFor(form, { email: email(), seat: '1a', row: 'x' });
	const sameRow = await linkFor(form, { email: email(), seat: '1b', row: 'y' });
	expect(await press(await linkFor(form, { email: email(), seat: '1a', row: 'y' }))).toBe(200);
	expect([await press(sameSeat), await press(sameRow)]).toEqual([409, 409]);
	const json = { fields: [{ name: 'email', type: 'email' }, { ...seat, unique: false }, row] };
	expect((await server.call(`PATCH /api/forms/${form.id}`, { json })).status).toBe(200);
	expect([await press(sameSeat), await press(sameRow)]).toEqual([200, 409]);
});

test('a visitor who sent a value twice reads that it is confirmed, however often the link is followed', async () => {
	const form = await makeForm({ fields: [{ name: 'email', type: 'email', unique: true }] });
	const address = email();
	const link = await linkFor(form, { email: address });
	await server.submit(form.slug, { email: address.toUpperCase() });
	expect([await press(link), await press(link), await press(link)]).toEqual([200, 200, 200]);
	expect([(await list(form)).pagination.total, (await pending(form)).pagination.total]).toEqual([1, 1]);
});

test('of several with one unique value it is the submission of the link that is confirmed, and another one if that cannot be', async () => {
	const [seat, row] = ['seat', 'row'].map((name) => ({ name, type: 'text', unique: true }));
	const form = await makeForm({ fields: [{ name: 'email', type: 'email' }, seat, row] });
	const [address, other] = [email(), email()];
	const link = await linkFor(form, { email: address, seat: '1a', row: 'x', n: 1 });
	await server.submit(form.slug, { email: address, seat: '1a', row: 'y', n: 2 });
	expect(await press(link)).toBe(200);
	expect((await list(form)).submissions.map(({ data }) => data.n)).toEqual([1]);
	const second = await linkFor(form, { email: other, seat: '1b', row: 'z', n: 3 });
	await server.submit(form.slug, { email: other, seat: '1b', row: 'w', n: 4 });
	expect(await press(await linkFor(form, { email: email(), seat: '1c', row: 'z', n: 5 }))).toBe(200);
	expect(await press(second)).toBe(200);
	expect((await list(form)).submissions.map(({ data }) => data.n)).toEqual([5, 4, 1]);
});

test('spam is not asked to confirm, and genuine later it is an ordinary one; pending ones that are marked wait no more', async () => {
	const form = await makeForm();
	const address = email();
	await server.submit(form.slug, { email: address, _gotcha: 'x' });
	const [spam] = (await list(form, 'filter=spam')).submissions;
	const path = (row: Row | undefined) => `/api/forms/${form.id}/submissions/${row?.id}` as const;
	const genuine = await server.call<Row>(`PATCH ${path(spam)}`, { json: { isSpam: false } });
	expect(genuine.body).toMatchObject({ isPending: false, isSpam: false, confirmedAt: null });
	expect(mailsTo(address)).toEqual([]);
	const link = await linkFor(form, { email: email() });
	const [waiting] = (await pending(form)).submissions;
	const marked = await server.call<Row>(`PATCH ${path(waiting)}`, { json: { isSpam: true } });
	expect(marked.body).toMatchObject({ isPending: false, isSpam: true });
	expect(await press(link)).toBe(410);
	expect(await readForm(form)).toMatchObject({ submissionCount: 1, pendingCount: 0 });
});

test('what is marked as spam while it is pending goes out once it is genuine, but to its visitor', async () => {
	const owner = email();
	const form = await makeForm({ notificationEmail: owner, captcha: 'altcha', confirm: null });
	const json = { confirm: {}, captcha: null, autoresponder: {} };
	await server.call(`PATCH /api/forms/${form.id}`, { json });
	const hook = { url: receiver.url.href, events: ['submission.created', 'submission.confirmed', 'submission.spam'] };
	await server.call(`POST /api/forms/${form.id}/webhooks`, { json: hook });
	await server.call(`POST /api/forms/${form.id}/webhooks`, {
		json: { ...hook, where: [{ field: 'topic', is: 'Other' }] },
	});
	const told = events.length;
	const [address, other] = [email(), email()];
	await linkFor(form, { email: address, topic: 'Sales' });
	await linkFor(form, { email: other, topic: 'Sales' });
	const ids = (await pending(form)).submissions.map(({ id }) => id);
	const mark = (set: object, more: object = {}) =>
		server.call(`PATCH /api/forms/${form.id}/submissions`, { json: { ids, set, ...more } });
	const planned = async () =>
		(await server.app.storage.db.select().from(deliveries))
			.filter(({ submissionId }) => ids.some((id) => submissionId === decodeId(id)))
			.filter(({ event }) => event !== 'submission.confirmation-asked')
			.map(({ channel, event, state }) => `${channel} ${event} ${state}`)
			.sort();
	await mark({ isRead: true });
	expect(await planned()).toEqual([]);
	// By a form that asks for no confirmations any more its visitors get no automatic response either.
	await server.call(`PATCH /api/forms/${form.id}`, { json: { captcha: 'altcha', confirm: null } });
	for (let times = 0; times < 2; times++) {
		await mark({ isSpam: true });
		const each = ['mail submission.created withheld', 'webhook submission.created withheld'];
		expect(await planned()).toEqual(each.flatMap((row) => [row, row]));
		await mark({ isSpam: false });
	}
	await mark({ isSpam: false }, { sendWithheld: true });
	await until(() => events.length >= told + 2 && mailsTo(owner).length >= 2);
	expect(events.slice(told).sort()).toEqual(ids.map((id) => `submission.created ${id}`).sort());
	expect([mailsTo(address), mailsTo(other)].map((mails) => mails.length)).toEqual([1, 1]);
});

test('spam gets no automatic response once it is genuine: its address was not confirmed', async () => {
	const form = await makeForm({ autoresponder: { field: 'email' } });
	const address = email();
	await server.submit(form.slug, { email: address, _gotcha: 'x' });
	const [spam] = (await list(form, 'filter=spam')).submissions;
	await server.call(`PATCH /api/forms/${form.id}/submissions/${spam?.id}`, {
		json: { isSpam: false, sendWithheld: true },
	});
	const rows = await server.app.storage.db.select().from(deliveries);
	expect(rows.filter(({ submissionId }) => submissionId === decodeId(spam?.id ?? ''))).toEqual([]);
});

test('a page has an input for the missing address, also without a rule for it; a file is no address', async () => {
	const form = await makeForm({ files: { onRefused: 'drop' } });
	const url = `${server.submitUrl}/f/${form.slug}`;
	const headers = { Accept: 'text/html' };
	const page = await (await fetch(url, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }), headers })).text();
	expect(page).toMatch(/<input type="email" id="field-0-0" name="email"[^>]* required/);
	expect(page).toContain('<input type="hidden" name="name" value="Ada">');
	const body = new FormData();
	body.set('name', 'Ada');
	body.set('email', new File(['%PDF-1.7 x'], 'ada@example.com'));
	const upload = await fetch(url, { method: 'POST', body, headers: { Accept: 'application/json' } });
	expect([upload.status, await upload.text()]).toEqual([400, expect.stringContaining('INVALID_EMAIL')]);
	expect(await readForm(form)).toMatchObject({ submissionCount: 0, pendingCount: 0 });
});

test('a submission without an address of one person is rejected, where its visitor can correct it', async () => {
	const form = await makeForm();
	for (const [fields, code] of [
		[{ name: 'Ada' }, 'REQUIRED'],
		[{ email: '' }, 'REQUIRED'],
		[{ email: 'ada' }, 'INVALID_EMAIL'],
		[{ email: ['ada@example.com'] }, 'INVALID_EMAIL'],
		[{ email: 'ada@example.com, bob@example.com' }, 'INVALID_EMAIL'],
		[{ email: 'ada@example.com\r\nBcc: bob@example.com' }, 'INVALID_EMAIL'],
	] as const) {
		const { status, body } = await server.submit(form.slug, fields);
		expect([status, body]).toEqual([
			400,
			expect.objectContaining({ errors: [expect.objectContaining({ field: 'email', code })] }),
		]);
	}
	expect((await pending(form)).pagination.total).toBe(0);
});

test('a link lives for seven days, and what was not confirmed is removed then', async () => {
	const form = await makeForm();
	const [late, timely] = [await linkFor(form, { email: email() }), await linkFor(form, { email: email() })];
	const { storage } = server.app;
	const pass = () => applyRetention(storage, { pause: async () => true, now: at, log: { error: console.error } });
	await pass();
	const began = at;
	at = began + 7 * DAY_MS - 60_000;
	expect(await press(timely)).toBe(200);
	for (let day = 0; day < 7; day++) await pass();
	expect((await readForm(form)).pendingCount).toBe(1);
	at = began + 7 * DAY_MS + 60_000;
	expect(await press(late)).toBe(410);
	expect((await fetch(late)).status).toBe(410);
	await pass();
	await pass();
	expect(await readForm(form)).toMatchObject({ submissionCount: 1, pendingCount: 0 });
	expect(await press(late)).toBe(410);
	expect(await press(timely)).toBe(200);
});

test('a link confirms what else waits for its address, though its own submission was removed or marked as spam', async () => {
	const form = await makeForm({ fields: [{ name: 'seat', type: 'text', unique: true }] });
	for (const act of ['remove', 'spam', 'genuine']) {
		const address = email();
		const link = await linkFor(form, { email: address, seat: `${act} 1` });
		const [first] = (await pending(form)).submissions;
		for (const n of [2, 3]) await server.submit(form.slug, { email: address, seat: `${act} ${n}` });
		await server.submit(form.slug, { email: email(), seat: `${act} 4` });
		const path = `/api/forms/${form.id}/submissions/${first?.id}` as const;
		if (act === 'remove') await server.call(`DELETE ${path}`);
		else await server.call(`PATCH ${path}`, { json: { isSpam: true } });
		if (act === 'genuine') await server.call(`PATCH ${path}`, { json: { isSpam: false } });
		const before = (await list(form)).pagination.total;
		expect(await press(link)).toBe(200);
		const { submissions, pagination } = await list(form);
		expect(pagination.total).toBe(before + 2);
		expect(submissions.filter(({ confirmedAt }) => confirmedAt).slice(0, 2)).toMatchObject([
			{ data: { seat: `${act} 3` } },
			{ data: { seat: `${act} 2` } },
		]);
		expect(await press(link)).toBe(410);
	}
	expect((await pending(form)).pagination.total).toBe(3);
});

test('only our links work, also those of earlier versions, for their form alone, wherever the form is', async () => {
	const form = await makeForm();
	const other = await makeForm();
	const link = await linkFor(form, { email: email() });
	const { submissions } = await pending(form);
	const [place = '', token = ''] = link.split('/confirm/');
	const forged = token.replace(/^[^.]+/, other.id);
	for (const wrong of ['x', `${token}x`, token.slice(0, -1), forged, token.replace(/\.[^.]+\./, `.${other.id}.`)])
		for (const method of ['GET', 'POST'])
			expect((await fetch(`${place}/confirm/${wrong}`, { method })).status).toBe(404);
	expect((await fetch(link, { method: 'DELETE' })).status).toBe(405);
	// Under another slug, and at base; in the language of the visitor.
	await server.call(`PATCH /api/forms/${form.id}`, { json: { slug: `renamed-${form.slug}` } });
	const { pathname } = new URL(link);
	const atBase = await fetch(`${server.baseUrl}/api${pathname}`, { headers: { 'Accept-Language': 'ar' } });
	expect(await atBase.text()).toContain('<html lang="ar" dir="rtl"');
	await server.call(`PATCH /api/forms/${form.id}`, { json: { isActive: false, confirm: null } });
	expect(await press(link)).toBe(200);
	expect((await list(form)).submissions.map(({ id }) => id)).toEqual(submissions.map(({ id }) => id));
	await linkFor(other, { email: email() });
	const [row] = (await pending(other)).submissions;
	const earlier = `${other.id}.${row?.id}`;
	const signature = await createAddressKeys(server.app.storage).sign(`confirm ${earlier}`);
	expect(await press(`${place.replace(form.slug, other.slug)}/confirm/${earlier}.${signature}`)).toBe(200);
	const gone = await linkFor(other, { email: email() });
	await server.call(`DELETE /api/forms/${other.id}`);
	expect(await press(gone)).toBe(410);
});

test('a pending one is exported, imported and deleted as any other', async () => {
	const form = await makeForm();
	const [address, told] = [email(), events.length];
	await linkFor(form, { email: address });
	const line = (await server.call(`GET /api/forms/${form.id}/export?format=ndjson&filter=pending`)).text;
	const { submissions } = await pending(form);
	await server.call(`DELETE /api/forms/${form.id}/submissions/${submissions[0]?.id}`);
	expect((await readForm(form)).pendingCount).toBe(0);
	at += 60_000;
	const headers = { 'Content-Type': 'application/x-ndjson' };
	const imported = await server.call<{ imported: number }>(`POST /api/forms/${form.id}/import`, {
		body: line,
		headers,
	});
	expect(imported.body.imported).toBe(1);
	expect(await readForm(form)).toMatchObject({ submissionCount: 0, pendingCount: 1 });
	expect(events.length).toBe(told);
	const both = JSON.stringify({ ...(JSON.parse(line) as object), isSpam: true, id: undefined });
	const rejected = await server.call(`POST /api/forms/${form.id}/import`, { body: both, headers });
	expect(rejected.text).toContain('one excludes the other');
	const confirmed = JSON.stringify({
		...(JSON.parse(line) as object),
		confirmedAt: '2026-01-02T03:04:05Z',
		id: undefined,
	});
	const refused = await server.call(`POST /api/forms/${form.id}/import`, { body: confirmed, headers });
	expect(refused.text).toContain('confirmed and pending');
});

test('a person is erased with what is pending, and the link leads nowhere then', async () => {
	const form = await makeForm();
	const [address, other] = [email(), email()];
	const link = await linkFor(form, { email: address, secret: 'pineapple' });
	await linkFor(form, { email: other });
	const { body } = await server.call<{ submissions: number }>('POST /api/erasures', {
		json: { email: address, dryRun: false },
	});
	expect(body.submissions).toBe(1);
	expect((await pending(form)).submissions.map(({ data }) => data)).toEqual([{ email: other }]);
	expect(await readForm(form)).toMatchObject({ submissionCount: 0, pendingCount: 1 });
	const rows = await server.app.storage.db.select().from(deliveries);
	expect(rows.filter(({ destination }) => destination === address)).toEqual([]);
	expect(await press(link)).toBe(410);
});

test('the owner sees the mail without its link, sent or not', async () => {
	const form = await makeForm();
	const link = await linkFor(form, { email: email() });
	const path = `/api/forms/${form.id}/deliveries` as const;
	const { body } = await server.call<{ deliveries: { id: string }[] }>(`GET ${path}`);
	const { id = '' } = body.deliveries[0] ?? {};
	const token = link.slice(link.lastIndexOf('/') + 1);
	const shown = async () => (await server.call(`GET /api/deliveries/${id}`)).text;
	await until(async () => (await shown()).includes('"state":"sent"'));
	const kept = await shown();
	const values = { state: 'withheld', content: null } as const;
	const byId = eq(deliveries.id, decodeId(id) ?? -1);
	await server.app.storage.batch((tx) => [tx.update(deliveries).set(values).where(byId)]);
	const page = await server.call(`GET /api/deliveries/${id}/preview`);
	for (const text of [kept, await shown(), page.text]) {
		expect(text).toContain('/confirm/…');
		expect(text).not.toContain(token);
	}
	expect(await press(link)).toBe(200);
});

test('a test form captures the mail, with its link', async () => {
	const key = await server.createKey({ mode: 'test' });
	const json = { name: 'Trial', slug: 'trial', confirm: { field: 'email' } };
	const { body: form } = await server.call<Form>('POST /api/forms', { key, json });
	const address = email();
	await server.submit('trial', { email: address });
	const { body } = await server.call<{ deliveries: { id: string; state: string }[] }>('GET /api/deliveries', { key });
	expect(body.deliveries).toMatchObject([{ state: 'captured' }]);
	const { text } = await server.call(`GET /api/deliveries/${body.deliveries[0]?.id}`, { key });
	expect(await press(linkIn(text))).toBe(200);
	const { body: after } = await server.call<Form>(`GET /api/forms/${form.id}`, { key });
	expect(after).toMatchObject({ submissionCount: 1, pendingCount: 0 });
	expect(mailsTo(address)).toEqual([]);
});

test.each([
	[{ confirm: { subject: 'Hello {{name}}' } }, 'confirm.subject', '{{name}}'],
	[{ confirm: { text: '{{email}}' }, fields: [{ name: 'email', type: 'email' }] }, 'confirm.text', '{{email}}'],
	[{ confirm: { text: '<b>Hi</b>' } }, 'confirm.text', 'plain text'],
	[{ confirm: { subject: 'a\nBcc: x@example.com' } }, 'confirm.subject', 'one line'],
	[{ confirm: { text: 'a'.repeat(2001) } }, 'confirm.text', '2000'],
	[{ confirm: { field: '' } }, 'confirm.field', 'name of the field'],
	[{ confirm: { field: '_replyto' } }, 'confirm.field', 'special field'],
	[{ confirm: { field: '_gotcha' } }, 'confirm.field', 'special field'],
	[{ confirm: {}, fields: [{ name: 'mail', type: 'email' }], unknownFields: 'drop' }, 'confirm.field', 'no rule'],
	[{ confirm: {}, fields: [{ name: 'mail', type: 'email' }], unknownFields: 'refuse' }, 'confirm.field', 'no rule'],
	[{ confirm: { field: 'mail' }, autoresponder: { field: 'email' } }, 'autoresponder', 'needs a captcha'],
	[{ confirm: {}, fields: [{ name: 'email', type: 'file' }] }, 'confirm.field', 'type "file"'],
	[{ confirm: {}, fields: [{ name: 'email', type: 'number' }] }, 'confirm.field', 'type "number"'],
	[{ confirm: {}, fields: [{ name: 'email', type: 'date' }] }, 'confirm.field', 'type "date"'],
	[{ confirm: {}, spam: { honeypot: 'email' } }, 'confirm.field', 'special field'],
] as const)('%j is rejected by the field %s', async (settings, field, words) => {
	const { status, body } = await server.call<{ errors: { field: string; message: string }[] }>('POST /api/forms', {
		json: { name: 'Wrong', ...settings },
	});
	expect([status, body.errors]).toEqual([
		400,
		[expect.objectContaining({ field, message: expect.stringContaining(words) })],
	]);
});
