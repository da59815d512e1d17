/** Bodies in three encodings: stored exactly, or rejected with a reason. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../../src/errors.ts';
import { mediaKind } from '../../../src/intake/body/media.ts';
import { rejectionOf } from '../../rejection.ts';
import {
	gathered,
	JSON_TYPE,
	MULTIPART_TYPE,
	multipart,
	type Pair,
	read,
	URLENCODED_TYPE,
	urlencoded,
} from './bodies.ts';

const BODY_ERRORS = ['INVALID_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'FILES_NOT_SUPPORTED'];

/** Returns whether a body is either parsed or rejected with a client error. */
function isReadOrRejected(contentType: string | null, body: Uint8Array): boolean {
	try {
		return Array.isArray(read(contentType, body));
	} catch (error) {
		return error instanceof AppError && BODY_ERRORS.includes(error.code);
	}
}

describe('the Content-Type', () => {
	test.each<[string, object]>([
		['application/json', { kind: 'json' }],
		['Application/JSON', { kind: 'json' }],
		['application/json; charset=utf-8', { kind: 'json' }],
		['application/json;charset="UTF-8"', { kind: 'json' }],
		['application/json ; charset=utf8 ;', { kind: 'json' }],
		['application/vnd.api+json', { kind: 'json' }],
		['application/ld+json; profile="a;b"', { kind: 'json' }],
		['application/x-www-form-urlencoded', { kind: 'urlencoded' }],
		['APPLICATION/X-WWW-FORM-URLENCODED; charset=UTF-8', { kind: 'urlencoded' }],
		['multipart/form-data; boundary=abc', { kind: 'multipart', boundary: 'abc' }],
		['Multipart/Form-Data; Boundary="a b=c"', { kind: 'multipart', boundary: 'a b=c' }],
		['multipart/form-data; boundary=----=_Part_1_2.3', { kind: 'multipart', boundary: '----=_Part_1_2.3' }],
		['multipart/form-data; charset=utf-8; boundary=abc', { kind: 'multipart', boundary: 'abc' }],
		['multipart/form-data', { kind: 'multipart' }],
		['text/plain;charset=UTF-8', { kind: 'text' }],
	])('%s is understood', (contentType, media) => {
		expect(mediaKind(contentType)).toEqual(media as ReturnType<typeof mediaKind>);
	});

	test.each([null, '', '  '])('is guessed when it is missing (%p)', (contentType) => {
		expect(mediaKind(contentType)).toEqual({ kind: 'unknown' });
	});

	test.each([
		'text/html',
		'application/xml',
		'multipart/mixed; boundary=abc',
		'multipart/x+json',
		'text/x+json',
		'json',
		'/',
		'application/json, application/json',
		'application/json, text/plain',
		'application/json charset=utf-8',
		'application/json; charset=utf-8; charset=utf-8',
		'multipart/form-data; boundary=a; boundary=b',
		'multipart/form-data; boundary="a',
		'application/json; charset="utf-8"x',
		'application/jsonx',
		`application/${'x'.repeat(10_000)}`,
	])('%s is rejected, and the error names the accepted types', (contentType) => {
		expect(rejectionOf(() => mediaKind(contentType))).toEqual({
			code: 'UNSUPPORTED_MEDIA_TYPE',
			message: 'The Content-Type must be application/json, application/x-www-form-urlencoded or multipart/form-data.',
		});
	});

	test.each(['iso-8859-1', '"utf-16"', 'utf-7', ''])('with the charset %p is rejected', (charset) => {
		expect(rejectionOf(() => mediaKind(`application/json; charset=${charset}`))).toEqual({
			code: 'UNSUPPORTED_MEDIA_TYPE',
			message: 'The body must be in UTF-8; leave charset out or set it to utf-8.',
		});
	});
});

describe('a body without a Content-Type', () => {
	test.each(['{"a":"b"}', ' \r\n\t{"a":"b"}', '\ufeff {"a":"b"}', 'a=b'])('%p is recognised', (body) => {
		expect(read(null, body)).toEqual([{ name: 'a', json: '"b"' }]);
	});
});

describe('text', () => {
	test.each(['{"a":"b"}', ' \r\n\t{"a":"b"}', '\ufeff {"a":"b"}'])(
		'that is a JSON object is read as one: %p',
		(body) => {
			expect(read('text/plain;charset=UTF-8', body)).toEqual([{ name: 'a', json: '"b"' }]);
		},
	);

	test.each(['a=b', '[]', '"a"', '', 'Hello'])('that is not JSON is rejected: %p', (body) => {
		expect(rejectionOf(() => read('text/plain', body)).code).toBe('UNSUPPORTED_MEDIA_TYPE');
	});

	test('that only begins like one is rejected as bad JSON', () => {
		expect(rejectionOf(() => read('text/plain', '{"a":')).code).toBe('INVALID_BODY');
	});
});

describe('whatever is posted', () => {
	const text = fc.string({ unit: 'binary', maxLength: 40 });
	const odd = fc.constantFrom(
		'',
		'__proto__',
		'constructor',
		'a.b',
		'a[]',
		'a[999999999]',
		'10',
		'9',
		'%22',
		'+',
		'\0',
	);
	const name = fc.oneof(text, odd);
	const pairs = fc.array(fc.tuple(name, fc.oneof(text, odd, fc.stringMatching(/^-?[0-9]{30}$/))), { maxLength: 12 });
	const isPlain = (pair: Pair) => !/%22|%0D|%0A/.test(pair[0]);

	test('comes back exactly from urlencoded bodies', () => {
		fc.assert(fc.property(pairs, (sent) => expect(read(URLENCODED_TYPE, urlencoded(sent))).toEqual(gathered(sent))));
	});

	test('comes back exactly from multipart bodies', () => {
		fc.assert(
			fc.property(pairs, (sent) => {
				const plain = sent.filter(isPlain);
				expect(read(MULTIPART_TYPE, multipart(plain))).toEqual(gathered(plain));
			}),
		);
	});

	test('comes back exactly from JSON bodies', () => {
		fc.assert(
			fc.property(fc.uniqueArray(fc.tuple(name, fc.json()), { selector: ([key]) => key, maxLength: 12 }), (sent) => {
				const body = `{${sent.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
				expect(read(JSON_TYPE, body)).toEqual(sent.map(([key, json]) => ({ name: key, json })));
			}),
		);
	});

	test('is read or rejected, whatever its bytes', () => {
		const types = fc.constantFrom(null, JSON_TYPE, URLENCODED_TYPE, MULTIPART_TYPE);
		fc.assert(
			fc.property(types, fc.uint8Array({ maxLength: 200 }), (type, bytes) => isReadOrRejected(type, bytes)),
			{ numRuns: 1000 },
		);
	});

	test('is read or rejected when bytes of a good body are changed', () => {
		const good = [
			[JSON_TYPE, '{"a":[1.5e3,{"b\\u0061":null}],"é":"\\ud800x"}'],
			[URLENCODED_TYPE, 'a=b&c=%C3%A9+d&a=%F0%9F%98%80'],
			[
				MULTIPART_TYPE,
				multipart([
					['a', 'b'],
					['é', 'c\r\nd'],
				]),
			],
		] as const;
		const change = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.uint8Array({ maxLength: 3 }));
		fc.assert(
			fc.property(fc.constantFrom(...good), fc.array(change, { maxLength: 3 }), ([type, body], changes) => {
				let bytes = Buffer.from(body);
				for (const [place, removed, added] of changes) {
					const at = place % (bytes.length + 1);
					bytes = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
				}
				return isReadOrRejected(type, bytes);
			}),
			{ numRuns: 2000 },
		);
	});
});
