/** `null` stands for the default of every setting, and of every member of one. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Form } from '../../src/forms/schema.ts';
import { FORM_SETTINGS, type FormInput, SETTING_NAMES, type SettingName } from '../../src/forms/settings.ts';
import { openTestServer, type TestServer } from '../server.ts';

/** Each different from its default, and with all its members. */
const OTHERS: { [Name in SettingName]: NonNullable<FormInput[Name]> } = {
	name: 'Renamed',
	slug: 'chosen',
	isActive: false,
	notificationEmail: 'ada@example.com',
	notification: {
		to: 'ada@example.com',
		cc: 'bob@example.com',
		bcc: 'eve@example.com',
		subject: '{{form.name}}: {{name}}',
		intro: 'A new lead.',
		fields: ['name'],
		replyTo: 'mail',
		fromName: 'Sales',
	},
	routes: [{ where: [{ field: 'topic', is: 'Sales' }], to: 'sales@example.com' }],
	timeZone: 'Europe/Berlin',
	redirectUrl: 'https://example.com/thanks',
	allowedDomains: ['example.com'],
	captcha: 'turnstile',
	spam: { threshold: 3, honeypot: ['website'] },
	files: { maxFiles: 2, maxBytes: 1024, types: ['image/*'] },
	attachFiles: true,
	opensAt: '2027-01-31T09:00:00.000Z',
	closesAt: '2027-02-01T09:00:00.000Z',
	maxSubmissions: 3,
	closedText: 'Closed.',
	language: 'de',
	views: [{ name: 'Urgent', query: 'label=urgent' }],
	keptIn: 'forms.toml',
	pages: {
		thanks: { title: 'Danke', text: 'Bis bald.', linkUrl: 'https://example.com/', linkLabel: 'Weiter' },
		accent: '#1d6b57',
	},
	confirm: { field: 'note', subject: 'Please confirm', text: 'By this link.' },
	autoresponder: { field: 'note', subject: 'Thank you', text: 'Soon.', delayMinutes: 5 },
	fields: [
		{
			name: 'note',
			type: 'text',
			label: 'Note',
			required: true,
			message: 'Short, please.',
			minLength: 1,
			maxLength: 9,
			pattern: '[a-z]+',
		},
	],
	unknownFields: 'refuse',
	context: { page: true, utm: true, address: 'full', agent: true },
	retention: { days: 365, spamDays: 30, filesDays: 90 },
	aliases: ['netlify'],
};
/** Where `null` is a value: no files; points alone never make spam. */
const NULL_IS_VALUE: Partial<Record<string, unknown>> = { files: null, 'spam.threshold': null };

/** Settings that another one takes. */
const NEEDED: Partial<Record<SettingName, FormInput>> = { autoresponder: { captcha: 'altcha' } };

let server: TestServer;
let fresh: Form;
beforeAll(async () => {
	server = await openTestServer({
		settings: { FORMSRV_TURNSTILE_SECRET: 'secret', FORMSRV_WEBHOOK_ALLOW: '127.0.0.1' },
	});
	fresh = await make({ name: 'Fresh' });
});
afterAll(() => server.close());

async function make(json: object): Promise<Form> {
	const { status, body, text } = await server.call<Form>('POST /api/forms', { json });
	if (status !== 201) throw new Error(text);
	return body;
}

const change = async (form: Form, json: object): Promise<Form> => {
	const { status, body, text } = await server.call<Form>(`PATCH /api/forms/${form.id}`, { json });
	if (status !== 200) throw new Error(text);
	return body;
};

const optional = SETTING_NAMES.filter((name) => !FORM_SETTINGS[name].isRequired);
const defaultOf = (name: SettingName) => (name in NULL_IS_VALUE ? NULL_IS_VALUE[name] : fresh[name]);
/** A slug is made anew, of the name. */
const expectDefault = (name: SettingName, form: Form) =>
	name === 'slug'
		? expect(form.slug).toMatch(/^full-[a-z0-9]{8}$/)
		: expect(form[name]).toEqual(defaultOf(name) as never);

test.each(optional)('%s', async (name) => {
	const form = await make({ name: 'Full', ...NEEDED[name], [name]: OTHERS[name] });
	expect(form[name]).not.toEqual(fresh[name]);
	const after = await change(form, { [name]: null });
	expectDefault(name, after);
	expect(await change(form, { [name]: null })).toEqual(after);
	expectDefault(name, await make({ name: 'Full', [name]: null }));
});

test('all at once, and a name has none', async () => {
	const nulls = Object.fromEntries(optional.map((name) => [name, null]));
	const { slug } = OTHERS;
	const form = await make({ ...OTHERS, slug, name: 'Full' });
	for (const made of [await change(form, nulls), await make({ ...nulls, name: 'Full' })]) {
		for (const name of optional) expectDefault(name, made);
	}
	expect((await server.call(`PATCH /api/forms/${form.id}`, { json: { name: null } })).status).toBe(400);
});

describe('a member', () => {
	const members = optional.flatMap((name) => {
		const value: unknown = OTHERS[name];
		const [inside] = Array.isArray(value) ? value : [value];
		if (typeof inside !== 'object') return [];
		return Object.keys(inside as object).map((member) => ({ name, member, inside: inside as object }));
	});
	const required = ['fields.name', 'fields.type', 'routes.where', 'routes.to', 'views.name', 'views.query'];
	test.each(members.filter(({ name, member }) => !required.includes(`${name}.${member}`)))(
		'$member of $name',
		async ({ name, member, inside }) => {
			const { [member as never]: _, ...without } = inside;
			const put = async (value: object) =>
				(await change(fresh, { ...NEEDED[name], [name]: Array.isArray(OTHERS[name]) ? [value] : value }))[name];
			const path = `${name}.${member}`;
			const left = await put(path in NULL_IS_VALUE ? { ...without, [member]: NULL_IS_VALUE[path] } : without);
			expect(await put({ ...inside, [member]: null })).toEqual(left as never);
			await change(fresh, { [name]: null });
		},
	);
});

test('the API document says so of each', async () => {
	const { body } = await server.call<{
		components: { schemas: Record<string, { properties: Record<string, Shape> }> };
	}>('GET /api/openapi.json');
	for (const schema of ['CreateForm', 'UpdateForm']) {
		const { properties = {} } = body.components.schemas[schema] ?? {};
		for (const name of optional) expect([name, isNullable(properties[name])]).toEqual([name, true]);
		expect(isNullable(properties.name)).toBe(false);
	}
	for (const [schema, members] of [
		['CreateApiKey', ['name', 'permissions', 'form', 'forms', 'expiresAt', 'mode']],
		['CreateWebhook', ['events', 'isActive']],
		['UpdateWebhook', ['events', 'isActive']],
		['CreateFileLink', ['expiresIn']],
		['RetryDeliveries', ['ids', 'state', 'form', 'channel']],
		['BulkDeletion', ['ids', 'filter', 'search', 'since', 'until', 'dryRun']],
		['BulkUpdate', ['ids', 'filter', 'search', 'since', 'until', 'set', 'sendWithheld']],
		['ChangeSpamLists', ['block', 'allow']],
	] as const) {
		for (const member of members)
			expect([schema, member, isNullable(body.components.schemas[schema]?.properties[member])]).toEqual([
				schema,
				member,
				true,
			]);
	}
});

interface Shape {
	type?: string | string[];
	anyOf?: Shape[];
}

function isNullable(shape: Shape | undefined): boolean {
	if (shape?.anyOf) return shape.anyOf.some(isNullable);
	return shape?.type === 'null' || (Array.isArray(shape?.type) && shape.type.includes('null'));
}

test('of keys and webhooks', async () => {
	const key = await server.call<object>('POST /api/keys', {
		json: { name: null, permissions: ['read'], form: null, forms: null, expiresAt: null, mode: null },
	});
	expect(key.body).toMatchObject({ name: '', mode: 'live', forms: null, expiresAt: null });
	const ofForm = await server.call<object>('POST /api/keys', { json: { form: fresh.id, permissions: null } });
	expect(ofForm.body).toMatchObject({ permissions: ['read'] });
	const path = `/api/forms/${fresh.id}/webhooks` as const;
	const url = 'http://127.0.0.1:9000/hook';
	const made = await server.call<{ id: string; events: string[] }>(`POST ${path}`, {
		json: { url, events: null, isActive: null },
	});
	const { events } = made.body;
	expect(made.body).toMatchObject({ isActive: true });
	const change = (json: object) => server.call<object>(`PATCH ${path}/${made.body.id}`, { json });
	expect((await change({ events: events.slice(0, 1), isActive: false })).body).toMatchObject({ isActive: false });
	expect((await change({ events: null, isActive: null })).body).toMatchObject({ events, isActive: true });
});
