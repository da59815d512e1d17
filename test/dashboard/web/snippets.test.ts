/** The code that people copy holds the form's own address and its defences. */

import { describe, expect, test } from 'bun:test';
import type { Captcha } from '../../../src/captchas.ts';
import { snippetsFor } from '../../../src/dashboard/web/snippets.ts';
import type { FileRules } from '../../../src/file-rules.ts';

const FORM = { address: 'https://in.example.com/f/contact-k3v9x2qm', submitUrl: 'https://in.example.com' };
const MARKUP = ['html', 'enhanced', 'react', 'astro', 'hugo', 'eleventy'];

const codeOf = (captcha: Captcha | null, id: string) =>
	snippetsFor({ ...FORM, captcha, honeypot: '_gotcha' }).find((snippet) => snippet.id === id)?.code ?? '';

describe('the snippets', () => {
	const files = { maxFiles: 5, maxBytes: 1_048_576, types: ['image/*', '.pdf'] };
	const withFiles = (id: string, rules: FileRules = files) =>
		snippetsFor({ ...FORM, captcha: null, files: rules }).find((snippet) => snippet.id === id)?.code ?? '';

	test.each(MARKUP)('%s has a file input if it is wanted, and sends files, not only their names', (id) => {
		const code = withFiles(id);
		expect(code).toMatch(/name="files" type="file" multiple accept="image\/\*,.pdf"/);
		if (id !== 'react') expect(code).toContain('method="POST" enctype="multipart/form-data"');
		expect(withFiles(id, { ...files, maxFiles: 1, types: [] })).toMatch(/name="files" type="file" ?\/?>/);
		expect(codeOf(null, id)).not.toMatch(/type="file"|enctype/);
	});

	test('for curl send a file if it is wanted', () => {
		expect(withFiles('curl')).toContain("-F 'files=@photo.jpg'");
	});

	test.each(snippetsFor({ ...FORM, captcha: null }))('$title posts to the form', ({ code }) => {
		expect(code).toContain(FORM.address);
	});

	test.each(MARKUP)('%s carries the honeypot, hidden', (id) => {
		const code = codeOf(null, id);
		expect(code).toMatch(/<div hidden>\s*<input name="_gotcha"/);
		const other = snippetsFor({ ...FORM, captcha: null, honeypot: 'a"b' }).find((snippet) => snippet.id === id)?.code;
		expect(other).toMatch(/<div hidden>\s*<input name="a&quot;b"/);
	});

	test.each([
		['recaptcha', 'g-recaptcha', 'https://www.google.com/recaptcha/api.js'],
		['hcaptcha', 'h-captcha', 'https://js.hcaptcha.com/1/api.js'],
		['turnstile', 'cf-turnstile', 'https://challenges.cloudflare.com/turnstile/v0/api.js'],
	] as const)('with %s carry its widget and its script', (captcha, widget, script) => {
		expect(codeOf(captcha, 'html')).toContain(`class="${widget}"`);
		expect(codeOf(captcha, 'html')).toContain(script);
		expect(codeOf(captcha, 'react')).toContain(`className="${widget}"`);
		expect(codeOf(null, 'html')).not.toContain(widget);
	});

	test('enhanced loads the script of the submission address', () => {
		expect(codeOf(null, 'enhanced')).toContain('<script src="https://in.example.com/formsrv.js" defer></script>');
	});

	test('in HTML are a form that parses: every label has its input', async () => {
		const labels: string[] = [];
		const inputs: string[] = [];
		await new HTMLRewriter()
			.on('label', { element: (label) => void labels.push(label.getAttribute('for') ?? '') })
			.on('input, textarea', { element: (input) => void inputs.push(input.getAttribute('id') ?? '') })
			.transform(new Response(codeOf(null, 'html')))
			.text();
		expect(labels).not.toBeEmpty();
		expect(labels.filter((name) => !inputs.includes(name))).toEqual([]);
	});

	test('for curl are JSON that the server takes', () => {
		const body = /-d '(.*)'/.exec(codeOf(null, 'curl'))?.[1] ?? '';
		expect(Object.keys(JSON.parse(body))).toEqual(['name', 'email', 'message']);
	});
});
