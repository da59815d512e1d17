/** The settings of attached files: their place, and the virus scanner. */

import { describe, expect, test } from 'bun:test';
import { loadConfig } from '../../src/config.ts';
import { problemsIn } from '../config-problems.ts';

const load = (env: Record<string, string>) => loadConfig({ env, flags: {}, cwd: '/srv', isTerminal: false }).files;
const problemsOf = (env: Record<string, string>) => problemsIn(() => load(env));

const KEYS = { FORMSRV_S3_ACCESS_KEY_ID: 'id', FORMSRV_S3_SECRET_ACCESS_KEY: 'hunter2' };
const SERVICE = { endpoint: null, region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'hunter2' };

describe('FORMSRV_FILES_URL', () => {
	test('is a folder beside the database by default, wherever that is', () => {
		expect(load({}).place).toEqual({ folder: '/srv/formsrv-data/files', s3: null });
		expect(load({ FORMSRV_DATABASE_URL: 'sqlite:/var/db/a.db' }).place).toEqual({ folder: '/var/db/files', s3: null });
	});

	test.each([
		['uploads', '/srv/uploads'],
		['/var/files', '/var/files'],
		['file:/var/files', '/var/files'],
		['file:///var/files', '/var/files'],
		['s3', '/srv/s3'],
	])('%s is the folder %s', (url, folder) => {
		expect(load({ FORMSRV_FILES_URL: url }).place).toEqual({ folder, s3: null });
	});

	test.each([
		['s3://forms', 'forms', ''],
		['s3://forms/', 'forms', ''],
		['s3://my.forms-1/a/b c'.replace(' ', '_'), 'my.forms-1', 'a/b_c'],
		['S3://forms/prod/', 'forms', 'prod'],
	])('%s is the bucket %s with the prefix "%s"', (url, bucket, prefix) => {
		expect(load({ FORMSRV_FILES_URL: url, ...KEYS }).place).toEqual({
			folder: '/srv/formsrv-data/files',
			s3: { bucket, prefix, ...SERVICE },
		});
	});

	test('takes endpoint and region of another service', () => {
		const env = { FORMSRV_S3_ENDPOINT: 'http://127.0.0.1:9000', FORMSRV_S3_REGION: 'auto' };
		expect(load({ FORMSRV_FILES_URL: 's3://forms', ...KEYS, ...env }).place).toMatchObject({
			s3: { endpoint: 'http://127.0.0.1:9000', region: 'auto' },
		});
	});

	test.each([
		's3://',
		's3://UP',
		's3://a',
		's3:forms',
		's3://forms/../x',
		's3://forms//x',
		's3://forms/a?b',
		'http://x',
	])('%s is a problem', (url) => {
		expect(problemsOf({ FORMSRV_FILES_URL: url, ...KEYS })).toEqual([
			expect.stringMatching(/^FORMSRV_FILES_URL must be .*s3:\/\/bucket\/prefix/),
		]);
	});

	test('with credentials in it is a problem that does not show them', () => {
		const [problem] = problemsOf({ FORMSRV_FILES_URL: 's3://id:hunter2@forms/x', ...KEYS });
		expect(problem).toContain('settings of their own');
		expect(problem).not.toContain('hunter2');
	});

	test('of a bucket may have a session token, or that of AWS', () => {
		const tokenWith = (env: Record<string, string>) =>
			load({ FORMSRV_FILES_URL: 's3://forms', ...KEYS, AWS_SESSION_TOKEN: 'theirs', ...env }).place.s3?.sessionToken;
		expect(tokenWith({})).toBe('theirs');
		expect(tokenWith({ FORMSRV_S3_SESSION_TOKEN: 'ours' })).toBe('ours');
		expect(tokenWith({ AWS_SESSION_TOKEN: '' })).toBeUndefined();
	});

	test('of a bucket needs its two keys', () => {
		expect(problemsOf({ FORMSRV_FILES_URL: 's3://forms' })).toEqual([
			'FORMSRV_S3_ACCESS_KEY_ID must be set when FORMSRV_FILES_URL names an S3 bucket.',
			'FORMSRV_S3_SECRET_ACCESS_KEY must be set when FORMSRV_FILES_URL names an S3 bucket.',
		]);
	});
});

test('a form may use its share of the quota', () => {
	expect(load({ FORMSRV_FILES_QUOTA: '10MiB', FORMSRV_FILES_FORM_SHARE: '30' })).toMatchObject({
		quota: 10_485_760,
		formQuota: 3_145_728,
	});
});

describe('FORMSRV_SCAN', () => {
	test.each([
		['clamd:/run/clamav/clamd.ctl', { socket: '/run/clamav/clamd.ctl' }],
		['clamd:tcp://127.0.0.1:3310', { host: '127.0.0.1', port: 3310 }],
		['clamd:tcp://scanner', { host: 'scanner', port: 3310 }],
		['clamd:tcp://[::1]:99', { host: '::1', port: 99 }],
	])('%s is %j', (text, scanner) => {
		expect(load({ FORMSRV_SCAN: text }).scanner).toEqual(scanner);
	});

	test.each(['clamd', 'clamd:', 'clamd:socket', 'clamd:tcp://', 'clamd:tcp://a/b', 'clamd://a', '/run/clamd', 'yes'])(
		'%s is a problem',
		(text) => {
			expect(problemsOf({ FORMSRV_SCAN: text })).toEqual([expect.stringContaining('must be like clamd:/')]);
		},
	);
});
