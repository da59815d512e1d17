/** Responses of other servers are read up to a bound and within a time, however much of it comes and however slowly. */

import { expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { parseSmtpUrl } from '../../src/config/smtp-url.ts';
import { renderNotification } from '../../src/delivery/mail/email.ts';
import { sendMail } from '../../src/delivery/mail/smtp.ts';
import { pingClamd, scanWithClamd } from '../../src/files/clamd.ts';
import { newKey } from '../../src/files/file-store.ts';
import { openS3 } from '../../src/files/s3.ts';
import { createCaptchaCheck } from '../../src/intake/checks/captcha.ts';
import { createGuardedPost } from '../../src/network/guarded-request.ts';
import { textBody } from '../../src/network/post-body.ts';
import { connect, rowsOf } from '../../src/storage/postgres/connection.ts';
import { type Endless, startEndless } from '../endless-server.ts';
import { tempFolder } from '../temp-folder.ts';

setDefaultTimeout(30_000);

/** The system's buffers hold some megabytes of each connection, and some requests are made; without a bound 512 MiB would be read. */
const MAX_BYTES = 96 * 1024 * 1024;
/** The time that they are given. */
const TIMEOUT_MS = 500;
/** On a busy machine too, they are given up by then. */
const WITHIN_MS = 6000;
const PIECE = Buffer.alloc(64 * 1024, 'x');
const http = (status: number, more = ''): Pick<Endless, 'head'> => ({ head: `HTTP/1.1 ${status} X\r\n${more}\r\n` });

const ask = {
	async 'S3, a file that is stored'(url: string) {
		const writer = bucket(url).create();
		await writer.write(randomBytes(100));
		await writer.finish();
	},
	async 'S3, a file that is read'(url: string) {
		await (await bucket(url).read(newKey(), { start: 0, end: 100 })).cancel();
	},
	'S3, a file that is removed': (url: string) => bucket(url).remove([newKey()]),
	'S3, a check': (url: string) => bucket(url).check(),
	async 'S3, a list'(url: string) {
		for await (const _ of bucket(url).list()) throw new Error('There is nothing to list.');
	},
	async 'a captcha'(url: string) {
		const vendor = { secret: 'secret', verifyUrl: url };
		const vendors = { turnstile: vendor, hcaptcha: vendor, recaptcha: vendor } as never;
		const log = { warn() {} };
		const check = createCaptchaCheck({
			vendors,
			recaptchaMinScore: 0.5,
			altcha: {} as never,
			log,
			timeoutMs: TIMEOUT_MS,
		});
		await check({ form: { id: 1, captcha: 'turnstile', allowedDomains: [] }, tokens: { turnstile: 'token' } });
	},
	async 'a webhook'(url: string) {
		const post = createGuardedPost({ allowed: ['127.0.0.1'], timeoutMs: TIMEOUT_MS });
		await post(url, { headers: {}, body: textBody('{}') });
	},
} satisfies Record<string, (url: string) => Promise<void>>;

function bucket(endpoint: string) {
	const place = { bucket: 'forms', prefix: 'a', region: 'eu', accessKeyId: 'a', secretAccessKey: 'b', endpoint };
	return openS3(place, tempFolder(), { stallMs: TIMEOUT_MS });
}

const mail = renderNotification(
	{ from: { name: '', address: 'forms@example.com' }, baseUrl: 'https://forms.example.com' },
	{
		form: { id: 1, name: 'Contact' },
		submission: { id: 2048, receivedAt: new Date(), data: '{"a":"b"}', subject: null, replyTo: null },
		to: ['owner@example.com'],
	},
);

/** Gives up the endless server within a time, and without having read much. */
async function expectBounded(endless: Endless, act: (server: { url: string; port: number }) => Promise<unknown>) {
	await using server = await startEndless(endless);
	const began = performance.now();
	await act(server).catch(() => {});
	expect(performance.now() - began).toBeLessThan(WITHIN_MS);
	expect(server.connections()).toBeGreaterThan(0);
	expect(server.sentBytes()).toBeLessThan(MAX_BYTES);
}

for (const [name, act] of Object.entries(ask)) {
	test.each<[string, Endless]>([
		['an error without end', { ...http(400), piece: PIECE }],
		['a good response without end', { ...http(200), piece: PIECE }],
		['an error that trickles', { ...http(400), piece: 'x', pauseMs: 20 }],
		['a good response that trickles', { ...http(200), piece: 'x', pauseMs: 20 }],
		['headers without end', { head: 'HTTP/1.1 200 X\r\n', piece: 'X-Header: of some length\r\n'.repeat(1000) }],
		['one header without end', { head: 'HTTP/1.1 200 X\r\nX-Header: ', piece: PIECE }],
		['nothing but announcements', { piece: 'HTTP/1.1 103 Early\r\nLink: a\r\n\r\n'.repeat(20), pauseMs: 1 }],
	])(`${name}: %s`, (_, endless) => expectBounded(endless, ({ url }) => act(url)));
}

test.each<[string, Endless]>([
	['a reply without end', { piece: PIECE }],
	['a reply that trickles', { piece: 'x', pauseMs: 20 }],
])('the virus scanner: %s', async (_, endless) => {
	const file = () => new Blob([randomBytes(1000)]).stream();
	await expectBounded(endless, ({ port }) => scanWithClamd({ host: '127.0.0.1', port }, file, TIMEOUT_MS));
	if (endless.pauseMs === undefined) await expectBounded(endless, ({ port }) => pingClamd({ host: '127.0.0.1', port }));
});

test.each<[string, string | Buffer, number | undefined]>([
	['a line without end', PIECE, undefined],
	['a reply of lines without end', '220-test\r\n'.repeat(5000), undefined],
	['replies without end', '220 test\r\n'.repeat(5000), undefined],
	['empty lines without end', '\r\n'.repeat(5000), undefined],
	['a line that trickles', 'x', 20],
])('the mail server: %s', (_, piece, pauseMs) =>
	expectBounded({ piece, greets: true, ...(pauseMs !== undefined && { pauseMs }) }, ({ port }) =>
		sendMail(parseSmtpUrl(`smtp://127.0.0.1:${port}`), mail, {
			timeouts: { connect: TIMEOUT_MS, greeting: TIMEOUT_MS, silence: TIMEOUT_MS, total: 2 * TIMEOUT_MS },
		}),
	),
);

test('the database: a notice without end', () => {
	const length = Buffer.alloc(4);
	length.writeInt32BE(2 ** 31 - 1);
	const head = Buffer.concat([Buffer.from('N'), length]);
	return expectBounded({ head, piece: PIECE }, async ({ port }) => {
		const sql = connect(`postgres://a@127.0.0.1:${port}/a?sslmode=disable`, {
			name: 'test',
			max: 1,
			silentMs: TIMEOUT_MS,
		});
		const asked = rowsOf(sql, 'select 1').catch(() => {});
		await Promise.race([asked, Bun.sleep(3 * TIMEOUT_MS)]);
		await sql.end(0);
	});
});
