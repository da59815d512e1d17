/** `notification` and `routes`: one stored truth with `notificationEmail`, and what is wrong with them by name. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DEFAULT_NOTIFICATION } from '../../src/form-values/notification-rules.ts';
import type { Form } from '../../src/forms/schema.ts';
import { openTestServer, type TestServer } from '../server.ts';

type Body = Form & { error: string; errors: { field: string; code: string; message: string }[] };

let server: TestServer;
beforeAll(async () => {
	server = await openTestServer();
});
afterAll(() => server.close());

const make = (json: object = {}) => server.call<Body>('POST /api/forms', { json: { name: 'Contact', ...json } });
const change = (form: Form, json: object, key?: string) =>
	server.call<Body>(`PATCH /api/forms/${form.id}`, { json, key });
const both = ({ notificationEmail, notification }: Form) => [notificationEmail, notification?.to ?? null];

describe('notification.to and notificationEmail', () => {
	test('are one: each shows the other', async () => {
		const { body: form } = await make();
		expect([form.notificationEmail, form.notification]).toEqual([null, null]);
		const steps: [object, (string | null)[]][] = [
			[{ notificationEmail: 'a@example.com' }, ['a@example.com', 'a@example.com']],
			[{ notification: { subject: 'x' } }, ['a@example.com', 'a@example.com']],
			[
				{ notification: { to: ['b@example.com', 'C <c@example.com>'] } },
				Array(2).fill('b@example.com, C <c@example.com>'),
			],
			[{ notification: { to: null, cc: 'd@example.com' } }, [null, null]],
			[{ notificationEmail: 'a@example.com' }, ['a@example.com', 'a@example.com']],
			[
				{ notificationEmail: 'b@example.com', notification: { to: ['b@example.com'] } },
				['b@example.com', 'b@example.com'],
			],
			[{ notification: null }, [null, null]],
		];
		for (const [json, expected] of steps) {
			const { status, body } = await change(form, json);
			expect([status, ...both(body)]).toEqual([200, ...expected]);
			expect((await server.call<Form>(`GET /api/forms/${form.id}`)).body.notification).toEqual(body.notification);
		}
		expect((await change(form, { notificationEmail: 'a@example.com' })).body.notification).toEqual({
			to: 'a@example.com',
			...DEFAULT_NOTIFICATION,
		});
	});

	test.each([
		{ notificationEmail: 'a@example.com', notification: { to: 'b@example.com' } },
		{ notificationEmail: null, notification: { to: 'b@example.com' } },
		{ notificationEmail: 'a@example.com', notification: { to: null } },
		{ notificationEmail: 'a@example.com', notification: null },
	])('with different values are rejected: %j', async (json) => {
		for (const { status, body } of [await make(json), await change((await make()).body, json)]) {
			expect([status, body.errors?.[0]?.field]).toEqual([400, 'notification.to']);
			expect(body.error).toContain('the same setting');
		}
	});

	test('a form can be sent back as it was read', async () => {
		const { body: form } = await make({
			notification: {
				to: 'a@example.com',
				cc: 'b@example.com',
				subject: '{{name}}',
				fields: ['name'],
				intro: ' two\r\nlines ',
			},
			routes: [{ where: [{ field: 'topic', contains: 'sale' }], to: ['s@example.com', 'S <t@example.com>'] }],
			timeZone: 'Asia/Tokyo',
		});
		expect(form.notification?.intro).toBe('two\nlines');
		expect(form.routes[0]?.to).toBe('s@example.com, S <t@example.com>');
		expect((await change(form, form)).body).toEqual(form as Body);
		expect((await make({ ...form, slug: null })).status).toBe(201);
	});
});

const addresses = (count: number, at = 'example.com') => Array.from({ length: count }, (_, i) => `a${i}@${at}`);

test.each([
	[{ to: 'ada' }, 'notification.to'],
	[{ cc: '{{email}}' }, 'notification.cc'],
	[{ bcc: ['a@example.com\r\nBcc: b@example.com'] }, 'notification.bcc'],
	[{ cc: '' }, 'notification.cc'],
	[{ to: addresses(6), cc: addresses(3, 'b.example'), bcc: addresses(2, 'c.example') }, 'notification'],
	[{ subject: '{{#if a}}b{{/if}}' }, 'notification.subject'],
	[{ subject: 'a\r\nBcc: b@example.com' }, 'notification.subject'],
	[{ subject: 'a\u2028b' }, 'notification.subject'],
	[{ subject: '\u202egnp.exe' }, 'notification.subject'],
	[{ subject: 'x'.repeat(201) }, 'notification.subject'],
	[{ subject: ' ' }, 'notification.subject'],
	[{ subject: '{{form.nme}}' }, 'notification.subject'],
	[{ intro: 'x'.repeat(2001) }, 'notification.intro'],
	[{ intro: '<h1 style="x">Hello</h1>' }, 'notification.intro'],
	[{ intro: 'a <img src=x> b' }, 'notification.intro'],
	[{ intro: '{{name' }, 'notification.intro'],
	[{ intro: '\u0007' }, 'notification.intro'],
	[{ fields: 'some' }, 'notification.fields'],
	[{ fields: [''] }, 'notification.fields.0'],
	[{ fields: ['a', 'a'] }, 'notification.fields'],
	[{ fields: Array.from({ length: 101 }, (_, i) => `${i}`) }, 'notification.fields'],
	[{ replyTo: '{{email}}' }, 'notification.replyTo'],
	[{ replyTo: 'a@example.com, b@example.com' }, 'notification.replyTo'],
	[{ replyTo: 'Ada <a@example.com>' }, 'notification.replyTo'],
	[{ fromName: '{{name}}' }, 'notification.fromName'],
	[{ fromName: 'Ada <ada@example.org>' }, 'notification.fromName'],
	[{ fromName: 'a\nb' }, 'notification.fromName'],
	[{ from: '{{email}}' }, 'notification.from'],
	[{ html: '<p>{{name}}</p>' }, 'notification.html'],
])('the notification %j is at fault', async (notification, field) => {
	const { status, body } = await make({ notification });
	expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
});

test('each of 40 hostile names in one notification is a fault, and nothing is stored', async () => {
	const { body: form } = await make({ notificationEmail: 'a@example.com' });
	const { body } = await change(form, {
		notification: { to: 'x', cc: 'y', subject: '{{', replyTo: '@', fromName: '{{a}}' },
	});
	expect(body.errors.map(({ field }) => field).sort()).toEqual(
		['to', 'cc', 'subject', 'replyTo', 'fromName'].map((name) => `notification.${name}`).sort(),
	);
	expect((await server.call<Form>(`GET /api/forms/${form.id}`)).body).toEqual(form);
});

const where = [{ field: 'a', is: 'b' }];

test.each([
	[[{ where: [], to: 'a@example.com' }], 'routes.0.where'],
	[[{ where, to: '{{email}}' }], 'routes.0.to'],
	[[{ where, to: [] }], 'routes.0.to'],
	[[{ where: [{ field: 'a' }], to: 'a@example.com' }], 'routes.0.where.0'],
	[[{ where: [{ field: 'a', is: 'b', contains: 'b' }], to: 'a@example.com' }], 'routes.0.where.0'],
	[[{ where: Array(6).fill(where[0]), to: 'a@example.com' }], 'routes.0.where'],
	[[{ where: [{ field: 'a', matches: '.*' }], to: 'a@example.com' }], 'routes.0.where.0.matches'],
	[Array(11).fill({ where, to: 'a@example.com' }), 'routes'],
	[Array(3).fill({ where, to: addresses(7) }), 'routes'],
])('the routes %j are at fault', async (routes, field) => {
	const { status, body } = await make({ routes });
	expect([status, body.errors?.[0]?.field]).toEqual([400, field]);
});

test.each(['Mars/Olympus', 'x'.repeat(5_000), 'Europe/Berlin\n'.repeat(2)])(
	'there is no time zone %p',
	async (timeZone) => {
		const { status, body } = await make({ timeZone });
		expect([status, body.errors?.[0]?.field]).toEqual([400, 'timeZone']);
	},
);

test.each([
	['notification', { notification: { cc: 'thief@example.com' } }],
	['fields', { notification: { fields: 'all' } }],
	['routes', { routes: [{ where, to: 'thief@example.com' }] }],
	['conditions', { routes: [{ where: [{ field: 'a', exists: true }], to: 's@example.com' }] }],
])('to change %s takes the permission to read as well', async (_, json) => {
	const writer = await server.createKey({ permissions: ['write'] });
	const { body: form } = await make({
		notification: { to: 'a@example.com', fields: ['name'] },
		routes: [{ where, to: 's@example.com' }],
	});
	const { status, body } = await change(form, json, writer);
	expect([status, body.error.includes('"read"')]).toEqual([403, true]);
	expect((await change(form, { ...form, name: 'Renamed' }, writer)).status).toBe(200);
});
