/** The OpenAPI document as a whole, and its page in a real browser. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Browser } from 'playwright-core';
import { apiDocs } from '../../src/http/api-docs.ts';
import {
	errorResponses,
	formBody,
	jsonBody,
	jsonResponse,
	pathParameter,
	redirectResponse,
	submitErrorResponses,
	textResponse,
} from '../../src/http/openapi.ts';
import { openApiDocument } from '../../src/http/openapi-document.ts';
import { nullable, stringEnum, stringMap } from '../../src/http/schema-types.ts';
import { openBrowser } from '../browser.ts';

const Thing = Type.Object(
	{
		id: Type.String(),
		note: nullable(Type.String({ description: 'A remark.' })),
		colour: nullable(stringEnum(['red', 'blue'])),
		default: Type.Integer(),
	},
	{ $id: 'Thing' },
);
const ThingList = Type.Object({ things: Type.Array(Thing) }, { $id: 'ThingList' });

const guard = new Elysia({ name: 'guard' }).macro({
	access: (_permission: string) => ({ detail: { security: [{ apiKey: [] }] } }),
});

const routes = new Elysia()
	.use(guard)
	.get('/api/things', () => '', {
		access: 'read',
		detail: {
			operationId: 'listThings',
			summary: 'List things',
			tags: ['Things'],
			responses: {
				200: jsonResponse('The things.', { schema: ThingList }),
				...errorResponses('VALIDATION_ERROR', 'INVALID_BODY', 'UNAUTHORIZED'),
			},
		},
	})
	.post('/api/things/:id', () => '', {
		access: 'write',
		detail: {
			operationId: 'replaceThing',
			summary: 'Replace a thing',
			tags: ['Things'],
			parameters: [pathParameter('id', { description: 'The thing.', example: 't1' })],
			requestBody: jsonBody(Thing, { id: 't1' }),
			responses: { 200: textResponse('As a table.', { 'text/csv': 'id\nt1\n' }) },
		},
	})
	.post('/f/:slug', () => '', {
		detail: {
			operationId: 'submit',
			summary: 'Submit',
			tags: ['Things'],
			requestBody: formBody(stringMap(Type.Any()), { name: 'Ada' }),
			responses: { 303: redirectResponse('Onwards.'), ...submitErrorResponses('FORM_NOT_FOUND') },
		},
	})
	.all('/api/things', () => '')
	.get('/logo.png', () => '', { detail: { hide: true } });

const info = {
	version: '1.2.3',
	baseUrl: 'http://base.example',
	submitUrl: 'http://submit.example',
	tags: [{ name: 'Things', description: 'All of them.' }],
};
const describeRoutes = () => openApiDocument(routes, info);

/** Every node of a document with the names that lead to it. */
function nodes(value: unknown, path: string[] = []): { path: string[]; value: unknown }[] {
	const below = typeof value === 'object' && value !== null ? Object.entries(value) : [];
	return [{ path, value }, ...below.flatMap(([name, child]) => nodes(child, [...path, name]))];
}

describe('the OpenAPI document', () => {
	test('is valid', async () => {
		const { valid, errors } = await new Validator().validate(await describeRoutes());
		expect(errors).toBeUndefined();
		expect(valid).toBe(true);
	});

	test('contains the described routes and no others', async () => {
		const { paths } = await describeRoutes();
		const operations = Object.entries(paths).map(([path, { servers: _, ...item }]) => [path, Object.keys(item)]);
		expect(operations).toEqual([
			['/api/things', ['get']],
			['/api/things/{id}', ['post']],
			['/f/{slug}', ['post']],
		]);
	});

	test('keeps each named schema once and refers to it', async () => {
		const { components, paths } = await describeRoutes();
		expect(Object.keys(components.schemas)).toEqual(['Error', 'SubmitError', 'Thing', 'ThingList']);
		expect(nodes(components).filter(({ path }) => path.at(-1) === '$id')).toEqual([]);
		const named = nodes(paths).filter(({ path }) => path.at(-1) === '$ref');
		expect(new Set(named.map(({ value }) => value))).toEqual(
			new Set(['ThingList', 'Error', 'Thing', 'SubmitError'].map((name) => `#/components/schemas/${name}`)),
		);
	});

	test('writes nullable values and closed sets the short way', async () => {
		const { components } = await describeRoutes();
		expect(components.schemas.Thing).toMatchObject({
			properties: {
				note: { type: ['string', 'null'], description: 'A remark.' },
				colour: { type: ['string', 'null'], enum: ['red', 'blue', null] },
				default: { type: 'integer' },
			},
		});
	});

	test('requires a key for guarded routes only', async () => {
		const { paths } = await describeRoutes();
		expect(paths['/api/things']).toMatchObject({ get: { security: [{ apiKey: [] }] } });
		expect(paths['/f/{slug}']?.post).not.toHaveProperty('security');
	});

	test('describes every error with the envelope and one example for each code', async () => {
		const { paths } = await describeRoutes();
		expect(paths['/api/things']).toMatchObject({
			get: {
				responses: {
					400: {
						content: {
							'application/json': {
								schema: { $ref: '#/components/schemas/Error' },
								examples: { VALIDATION_ERROR: { value: { code: 'VALIDATION_ERROR' } }, INVALID_BODY: {} },
							},
						},
					},
				},
			},
		});
	});

	test('sends the short path of the submission endpoint to its own address', async () => {
		const { servers, paths } = await describeRoutes();
		expect(servers.map(({ url }) => url)).toEqual([info.baseUrl]);
		expect(paths['/f/{slug}']?.servers?.map(({ url }) => url)).toEqual([info.submitUrl]);
	});

	test('cannot be generated when two schemas claim one name', async () => {
		const twice = new Elysia().get('/api/a', () => '', {
			detail: {
				summary: 'A',
				responses: {
					200: jsonResponse('One.', { schema: Type.String({ $id: 'Same' }) }),
					201: jsonResponse('Other.', { schema: Type.Integer({ $id: 'Same' }) }),
				},
			},
		});
		await expect(openApiDocument(twice, info)).rejects.toThrow('Two different schemas have the $id Same.');
	});
});

describe('the page of the API documentation', () => {
	const app = new Elysia().use(apiDocs({ document: describeRoutes, baseUrl: info.baseUrl }));
	let browser: Browser;
	let base: string;

	beforeAll(async () => {
		const { server } = app.listen({ port: 0, hostname: '127.0.0.1' });
		base = `http://127.0.0.1:${server?.port}`;
		browser = await openBrowser();
	});

	afterAll(async () => {
		await browser?.close();
		await app.stop(true);
	});

	test.each(['light', 'dark'] as const)(
		'shows every operation, loads from no other host and breaks no rule (%s)',
		async (colorScheme) => {
			const page = await browser.newPage({ colorScheme, viewport: { width: 390, height: 800 } });
			const complaints: string[] = [];
			page.on('console', (message) => complaints.push(message.text()));
			page.on('pageerror', (error) => complaints.push(error.message));
			page.on('request', (request) => {
				if (!/^data:/.test(request.url()) && new URL(request.url()).origin !== base) complaints.push(request.url());
			});
			await page.goto(`${base}/docs`);
			await page.getByText('/api/things/{id}').click();
			await page.getByText('Replace a thing').waitFor();
			await page.getByRole('button', { name: 'Execute' }).waitFor();
			expect(await page.locator('.opblock').count()).toBe(3);
			expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
			expect(complaints).toEqual([]);
			await page.close();
		},
	);

	test('comes with a policy that allows its own files and the addresses of the document', async () => {
		const response = await fetch(`${base}/docs`);
		const policy = response.headers.get('Content-Security-Policy');
		expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
		expect(policy).toContain("connect-src 'self' http://submit.example;");
	});

	test('has files that a browser may cache for ever, compressed or not', async () => {
		const html = await (await fetch(`${base}/docs`)).text();
		const style = /href="(\/docs\/[^"]+\.css)"/.exec(html)?.[1];
		const [packed, plain] = await Promise.all(
			['gzip', 'identity'].map((coding) => fetch(base + style, { headers: { 'Accept-Encoding': coding } })),
		);
		expect(packed?.headers.get('Content-Encoding')).toBe('gzip');
		expect(packed?.headers.get('Cache-Control')).toContain('immutable');
		expect(plain?.headers.has('Content-Encoding')).toBe(false);
		expect(await packed?.text()).toBe(await plain?.text());
	});

	test('serves nothing but its own files', async () => {
		for (const name of ['..%2fformsrv', '%2e%2e', 'index.html.gz.gz', 'nothing.js']) {
			expect((await fetch(`${base}/docs/${name}`)).status).not.toBe(200);
		}
	});
});
