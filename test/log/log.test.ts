/** The log: levels, buffering, and lines that no untrusted text can break out of. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { printable } from '../../src/log/line-text.ts';
import { createLog, type LogOptions } from '../../src/log/log.ts';

const NOON = Date.UTC(2026, 0, 2, 12);
const REQUEST = {
	requestId: 'r1',
	method: 'POST',
	path: '/f/contact',
	status: 303,
	durationMs: 1.2345,
	address: '192.0.2.1',
};

function open(options: Partial<LogOptions> = {}) {
	const writes: string[] = [];
	const write = (lines: Uint8Array) => {
		writes.push(Buffer.from(lines).toString());
	};
	const log = createLog({ level: 'info', format: 'json', write, now: () => NOON, ...options });
	const lines = () => {
		log.flush();
		return writes.join('').split('\n').slice(0, -1);
	};
	return { log, writes, lines, last: () => JSON.parse(lines().at(-1) ?? '') };
}

describe('json', () => {
	test('an event is one object with its fields', () => {
		const { log, last } = open();
		log.info('listening', { port: 8080 });
		expect(last()).toEqual({
			'@timestamp': '2026-01-02T12:00:00.000Z',
			level: 'INFO',
			message: 'listening',
			logger: 'formsrv',
			port: 8080,
		});
	});

	test('a request has the members of an event', () => {
		const { log, last } = open();
		log.access(REQUEST);
		expect(last()).toEqual({
			'@timestamp': '2026-01-02T12:00:00.000Z',
			level: 'INFO',
			message: 'request',
			logger: 'formsrv',
			...REQUEST,
			durationMs: 1.23,
		});
	});

	test('a request names its key and session', () => {
		const { log, last } = open();
		log.access({ ...REQUEST, caller: { keyId: 'k1', sessionId: 's2' } });
		expect(last()).toMatchObject({ key: 'k1', session: 's2' });
		log.access({ ...REQUEST, caller: { keyId: null, sessionId: 's2' } });
		expect(last()).not.toHaveProperty('key');
		expect(last()).toMatchObject({ session: 's2' });
	});

	test('an error is kept with its stack and its cause', () => {
		const { log, last } = open();
		log.error('failed', { error: new Error('outer', { cause: new Error('inner') }) });
		const { error } = last();
		expect(error).toMatchObject({ name: 'Error', message: 'outer', cause: { message: 'inner' } });
		expect(error.stack).toContain('log.test.ts');
	});

	test('an error is kept with its own members, such as a code', () => {
		const { log, last } = open();
		log.error('failed', { cause: Object.assign(new TypeError('no'), { code: 'ENOENT' }) });
		expect(last().cause).toMatchObject({ name: 'TypeError', message: 'no', code: 'ENOENT' });
	});

	test('a value that JSON cannot represent does not break the caller', () => {
		const circular: Record<string, unknown> = { big: 1n };
		circular.self = circular;
		const error = new Error('its own cause');
		error.cause = error;
		const { log, last } = open();
		log.info('odd', { circular, error });
		expect(last()).toMatchObject({
			message: 'odd',
			circular: { big: '1', self: '(as above)' },
			error: { message: 'its own cause', cause: '(as above)' },
		});
	});
});

describe('the line of a request', () => {
	/** As it would be without any of its shortcuts. */
	const plain = ({ durationMs, ...request }: typeof REQUEST) => {
		const { requestId, method, path, status, address } = request;
		const start = { '@timestamp': '2026-01-02T12:00:00.000Z', level: 'INFO', message: 'request', logger: 'formsrv' };
		const rounded = Math.round(durationMs * 100) / 100;
		return JSON.stringify({ ...start, method, path, status, durationMs: rounded, address, requestId });
	};

	test.each([0, 0.004, 0.005, 0.05, 0.1, 0.99, 0.995, 1, 1.5, 9.999, 10, 10.01, 99.9, 100, 1234.56, 86_400_000.25])(
		'has a duration of %d as JSON has it',
		(durationMs) => {
			const { log, lines } = open();
			log.access({ ...REQUEST, durationMs });
			expect(lines()).toEqual([plain({ ...REQUEST, durationMs })]);
		},
	);

	test('does not depend on the line before', () => {
		const request = fc.record({
			requestId: fc.constantFrom('a-1', 'm1x9c-zz'),
			method: fc.constantFrom('GET', 'POST'),
			path: fc.oneof(fc.constantFrom('/f/a', '/f/b', '/'), fc.string({ minLength: 1, maxLength: 900 })),
			status: fc.constantFrom(200, 303, 404),
			durationMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
			address: fc.oneof(fc.constantFrom('192.0.2.1', '2001:db8::1'), fc.ipV4()),
		});
		fc.assert(
			fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
				const { log, lines } = open();
				for (const one of requests) log.access(one);
				expect(lines()).toEqual(requests.map(plain));
			}),
		);
	});
});

describe('levels', () => {
	test('what is below the level is dropped, requests count as info', () => {
		const { log, lines } = open({ level: 'warn' });
		log.debug('a');
		log.info('b');
		log.access(REQUEST);
		log.warn('c');
		log.error('d');
		expect(lines().map((line) => JSON.parse(line).message)).toEqual(['c', 'd']);
	});
});

describe('buffering', () => {
	test('lines wait and are written together', () => {
		const { log, writes } = open();
		log.access(REQUEST);
		log.info('two');
		expect(writes).toEqual([]);
		log.flush();
		expect(writes).toHaveLength(1);
	});

	test('lines are written without a flush', async () => {
		const written = Promise.withResolvers<string>();
		const { log } = open({ write: (lines) => written.resolve(Buffer.from(lines).toString()) });
		log.info('soon');
		const keepAlive = setInterval(() => {}, 10);
		expect(await written.promise).toContain('soon');
		clearInterval(keepAlive);
	});

	test('an error is written at once, after what came before it', () => {
		const { log, writes } = open();
		log.info('first');
		log.error('second');
		expect(writes.join('')).toMatch(/first.*\n.*second/);
	});

	test('64 KiB are written at once', () => {
		const { log, writes } = open();
		log.info('x'.repeat(65_536));
		expect(writes).toHaveLength(1);
	});

	test('many requests and events are all written, in their order', () => {
		const { log, lines } = open();
		const count = 5000;
		for (let i = 0; i < count; i++) {
			log.access({ ...REQUEST, requestId: `r-${i}`, path: `/${'x'.repeat(i % 700)}` });
			log.info(`event ${i}`, { long: 'y'.repeat(i * 7) });
		}
		const written = lines().map((line) => JSON.parse(line));
		expect(written.map(({ requestId, message }) => requestId ?? message)).toEqual(
			Array.from({ length: count }, (_, i) => [`r-${i}`, `event ${i}`]).flat(),
		);
	});
});

describe('a log without a reader', () => {
	const MEBIBYTE = 1024 * 1024;

	/** A reader who takes nothing until told to. */
	function openUnread() {
		const takers: (() => void)[] = [];
		const written: string[] = [];
		const { log } = open({
			write: (lines) => {
				written.push(Buffer.from(lines).toString());
				return new Promise<void>((resolve) => takers.push(resolve));
			},
		});
		return {
			log,
			size: () => written.join('').length,
			lines: () => written.join('').split('\n').slice(0, -1),
			/** Takes whatever there is, until there is nothing more. */
			async read() {
				for (let take = takers.shift(); take; take = takers.shift()) {
					take();
					await Promise.resolve().then(() => {});
					await Promise.resolve();
				}
			},
		};
	}

	test('keeps 1 MiB of lines and drops the rest, requests first', () => {
		const { log, size, lines } = openUnread();
		for (let i = 0; i < 20_000; i++) log.access(REQUEST);
		log.warn('after the requests');
		log.flush();
		expect(size()).toBeWithin(MEBIBYTE / 2, MEBIBYTE);
		expect(lines().at(-2)).toContain('after the requests');
		for (let i = 0; i < 20_000; i++) log.warn('x'.repeat(100));
		log.flush();
		expect(size()).toBeLessThan(2.1 * MEBIBYTE);
	});

	test('says how many were dropped once it is read again, and continues', async () => {
		const { log, lines, read } = openUnread();
		const count = 20_000;
		for (let i = 0; i < count; i++) log.access(REQUEST);
		await read();
		log.info('later');
		log.flush();
		const written = lines().map((line) => JSON.parse(line));
		const told = written.find(({ message }) => message.includes('dropped'));
		expect(told.level).toBe('WARN');
		expect(told.requests).toBe(count - written.filter(({ message }) => message === 'request').length);
		expect(told.others).toBe(0);
		expect(written.at(-1).message).toBe('later');
	});
});

describe('untrusted text', () => {
	const hostile = fc.array(
		fc.oneof(
			fc.string({ unit: 'binary' }),
			fc.constantFrom('\n', '\r', '\x1b[2J', '\x9b', '\u202e', '\u2028', '"', '\\', '\x7f', '\ud800'),
		),
	);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
	const ACTIVE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/;

	test.each(['json', 'text'] as const)('never leaves its line (%s)', (format) => {
		fc.assert(
			fc.property(hostile, (parts) => {
				const text = parts.join('');
				const { log, lines } = open({ format });
				log.access({ ...REQUEST, path: text, method: text, address: text });
				log.info(text, { text });
				const written = lines();
				expect(written).toHaveLength(2);
				expect(written.filter((line) => ACTIVE.test(line))).toEqual([]);
			}),
		);
	});

	test('has the same value after parsing the JSON', () => {
		fc.assert(
			fc.property(hostile, (parts) => {
				const path = parts.join('');
				const { log, last } = open();
				log.access({ ...REQUEST, path });
				expect(last().path).toBe(path);
			}),
		);
	});

	test('the lines of a stack are indented and cannot look like events', () => {
		const { log, lines } = open({ format: 'text' });
		log.error('failed', { error: new Error('boom\n2026-01-02T12:00:00.000Z info  forged\x1b[2J') });
		const [first, ...rest] = lines();
		expect(first).toStartWith('2026-01-02T12:00:00.000Z error failed error=');
		expect(rest.length).toBeGreaterThan(1);
		expect(rest.filter((line) => !line.startsWith('    ') || ACTIVE.test(line))).toEqual([]);
	});

	test('is readable on a terminal', () => {
		expect(printable('tab\there \x1b[31mred\x9b \u202eabc é 你')).toBe(
			'tab\\there \\u001b[31mred\\u009b \\u202eabc é 你',
		);
	});
});
