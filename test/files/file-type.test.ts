/** The type of a file by its content, and the entries of a form's `types` that cover it. */

import { describe, expect, test } from 'bun:test';
import { detectType, isAllowedType } from '../../src/files/file-type.ts';
import { AVIF, GIF, JPEG, PNG, WEBP } from '../dashboard/pictures.ts';

const text = (content: string) => new TextEncoder().encode(content);
const bytes = (...values: number[]) => Uint8Array.from([...values, ...new Array(600).fill(0)]);

const PDF = text('%PDF-1.7\n');
const SVG = text('<svg xmlns="http://www.w3.org/2000/svg"/>');
const SVG_XML = text('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>');
const HTML = text('<!doctype html><script>1</script>');
const CSV = text('a,b\n1,2\n');
const JSON_TEXT = text('{"a":1}');
const EXE = text('MZ');
/** The container format of .doc, .xls and .ppt. */
const COMPOUND = bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1);
/** A package of which the first bytes do not say what is in it. */
const ZIP = bytes(0x50, 0x4b, 3, 4, 20, 0, 0, 0, 0, 0);
const NOTHING = new Uint8Array();

test.each<[string, Uint8Array, string]>([
	['PNG', PNG, 'image/png'],
	['JPEG', JPEG, 'image/jpeg'],
	['GIF', GIF, 'image/gif'],
	['WebP', WEBP, 'image/webp'],
	['AVIF', AVIF, 'image/avif'],
	['PDF', PDF, 'application/pdf'],
	['a drawing', SVG, 'text/plain'],
	['a drawing that says it is XML', SVG_XML, 'application/xml'],
	['a page', HTML, 'text/plain'],
	['a table', CSV, 'text/plain'],
	['text of which the last character is cut off', text('日本').slice(0, 5), 'text/plain'],
	['text with a control character', text('a\0b'), 'application/octet-stream'],
	['bytes that are no text', bytes(0xff, 0xfe, 0xfd, 1), 'application/octet-stream'],
	['nothing', NOTHING, 'text/plain'],
])('%s is recognised', async (_, content, type) => {
	expect((await detectType(content)).type).toBe(type);
});

type Case = [entry: string, name: string, content: Uint8Array];

describe('an entry stands for a file', () => {
	const yes: Case[] = [
		['image/*', 'a.png', PNG],
		['image/*', 'page.html', GIF],
		['image/jpeg', 'a.jpg', JPEG],
		['image/jpg', 'a.jpeg', JPEG],
		['.jpg', 'a.JPEG', JPEG],
		['.jpeg', 'a.jpg', JPEG],
		['application/pdf', 'cv', PDF],
		['.pdf', 'cv.PDF', PDF],
		['.csv', 'a.csv', CSV],
		['text/csv', 'a.csv', CSV],
		['text/*', 'a.csv', CSV],
		['.json', 'a.json', JSON_TEXT],
		['application/json', 'a.json', JSON_TEXT],
		['.svg', 'a.svg', SVG],
		['.svg', 'a.svg', SVG_XML],
		['image/svg+xml', 'a.svg', SVG],
		['image/svg+xml', 'a.svg', SVG_XML],
		['.docx', 'a.docx', ZIP],
		['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'a.docx', ZIP],
		['application/vnd.oasis.opendocument.text', 'a.odt', ZIP],
		['.zip', 'a.zip', ZIP],
		['application/x-zip-compressed', 'a.zip', ZIP],
		['.doc', 'a.doc', COMPOUND],
		['application/msword', 'a.doc', COMPOUND],
		['application/vnd.ms-excel', 'a.xls', COMPOUND],
	];
	test.each(yes)('%s: %s', async (entry, name, content) => {
		expect(await isAllowedType([entry], { name, found: await detectType(content) })).toBe(true);
	});
});

describe('an entry stands for no file of another kind', () => {
	const no: Case[] = [
		['image/*', 'a.png', SVG],
		['image/*', 'a.png', HTML],
		['image/png', 'a.png', JPEG],
		['.png', 'a.png', JPEG],
		['.png', 'a.jpg', PNG],
		['.pdf', 'a.pdf', EXE],
		['.pdf', 'a.pdf', CSV],
		['application/pdf', 'a.pdf', NOTHING],
		['.csv', 'a.csv', EXE],
		['.csv', 'a.html', CSV],
		['application/json', 'a.html', JSON_TEXT],
		['image/svg+xml', 'a.png', SVG],
		['image/svg+xml', 'a.svg', EXE],
		['image/jpg', 'a.jpg', PNG],
		['.docx', 'a.docx', EXE],
		['.docx', 'a.zip', ZIP],
		['application/msword', 'a.doc', EXE],
		['application/msword', 'a.xls', COMPOUND],
		['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'a.zip', ZIP],
	];
	test.each(no)('%s: %s', async (entry, name, content) => {
		expect(await isAllowedType([entry], { name, found: await detectType(content) })).toBe(false);
	});
});

test('without entries anything is taken', async () => {
	expect(await isAllowedType([], { name: 'a.exe', found: await detectType(EXE) })).toBe(true);
});
