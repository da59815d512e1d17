/** The code that people copy holds the form's own address and its defences. */

import { describe, expect, test } from 'bun:test';
import { snippetsFor } from '../../../src/dashboard/web/views/connect/snippets.ts';
import { atOnce, createFieldCheck } from '../../../src/field-rules/check.ts';
import type { FieldRule } from '../../../src/field-rules/rules.ts';
import type { Captcha } from '../../../src/form-values/captchas.ts';
import type { FileRules } from '../../../src/form-values/file-rules.ts';

const FORM = { address: 'https://in.example.com/f/contact-k3v9x2qm', submitUrl: 'https://in.example.com' };
const MARKUP = ['html', 'enhanced', 'react', 'vue', 'astro', 'hugo', 'eleventy'];

const codeOf = (captcha: Captcha | null, id: string) =>
	snippetsFor({ ...FORM, captcha, honeypot: '_gotcha' }).find((snippet) => snippet.id === id)?.code ?? '';

describe('the snippets', () => {
	const files = { maxFiles: 5, maxBytes: 1_048_576, types: ['image/*', '.pdf'] };
	const withFiles = (id: string, rules: FileRules = files) =>
		snippetsFor({ ...FORM, captcha: null, files: rules }).find((snippet) => snippet.id === id)?.code ?? '';

	test.each(MARKUP)('%s has a file input if it is wanted, and sends files, not only their names', (id) => {
		const code = withFiles(id);
		expect(code).toMatch(/name="files" type="file" multiple accept="image\/\*,.pdf"/);
		if (id !== 'react' && id !== 'vue')
			expect(code).toContain('method="POST" accept-charset="utf-8" enctype="multipart/form-data"');
		expect(withFiles(id, { ...files, maxFiles: 1, types: [] })).toMatch(/name="files" type="file" ?\/?>/);
		expect(codeOf(null, id)).not.toMatch(/type="file"|enctype/);
	});

	test('with the script have what it is to ask and to tell', () => {
		const code = (more: object) =>
			snippetsFor({ ...FORM, captcha: null, ...more }).find(({ id }) => id === 'enhanced')?.code ?? '';
		expect(code({ asksStatus: true, tellsPage: true })).toContain(
			'method="POST" accept-charset="utf-8" data-formsrv-status data-formsrv-page>',
		);
		expect(code({})).toContain('method="POST" accept-charset="utf-8">');
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

describe('the snippets of a form with field rules', () => {
	const fields: FieldRule[] = [
		{ name: 'email', type: 'email', label: 'Your "e-mail" & {more}', required: true, maxLength: 80 },
		{ name: 'zip', type: 'text', pattern: '\\d{5}|{{x' },
		{ name: 'guests', type: 'number', min: 0, max: 12 },
		{ name: 'arrival', type: 'date', min: '2030-01-01' },
		{ name: 'topic', type: 'select', options: ['Sales & more', 'Help', 'A  "b"'], required: true },
		{ name: 'days[]', type: 'checkbox', label: 'Days', options: ['Mo', 'Tu'] },
		{ name: 'terms', type: 'checkbox', label: 'I agree', required: true },
		{ name: 'story', type: 'text', minLength: 10, maxLength: 2000 },
	];
	const code = (id: string, more = {}) =>
		snippetsFor({ ...FORM, captcha: null, fields, ...more }).find((snippet) => snippet.id === id)?.code ?? '';

	test('have inputs with the same attributes, in HTML', () => {
		for (const line of [
			'<label for="email">Your "e-mail" &amp; &#123;more&#125;</label>',
			'<input id="email" name="email" type="email" autocomplete="email" maxlength="80" required>',
			'<input id="zip" name="zip" pattern="\\d{5}|&#123;{x">',
			'<input id="guests" name="guests" type="number" min="0" max="12" step="any">',
			'<input id="arrival" name="arrival" type="date" min="2030-01-01">',
			'<select id="topic" name="topic" required><option value=""></option><option>Sales &amp; more</option><option>Help</option><option value="A  &quot;b&quot;">A  "b"</option></select>',
			'<legend>Days</legend>',
			'<label><input name="days[]" type="checkbox" value="Mo"> Mo</label>',
			'<input id="terms" name="terms" type="checkbox" required>',
			'<textarea id="story" name="story" rows="5" minlength="10" maxlength="2000"></textarea>',
		]) {
			expect(
				code('html')
					.split('\n')
					.map((text) => text.trim()),
			).toContain(line);
		}
		expect(code('html')).not.toMatch(/enctype|name="message"/);
	});

	test('and in JSX', () => {
		for (const line of [
			'<label>Your "e-mail" &amp; &#123;more&#125; <input name="email" type="email" autoComplete="email" maxLength={80} required /></label>',
			'<label><input name="days[]" type="checkbox" value="Mo" /> Mo</label>',
			'<label><input name="terms" type="checkbox" required /> I agree</label>',
			'<label>story <textarea name="story" rows={5} minLength={10} maxLength={2000} /></label>',
		]) {
			expect(
				code('react')
					.split('\n')
					.map((text) => text.trim()),
			).toContain(line);
		}
	});

	test('send files if there is a rule for them', () => {
		const withFile = {
			fields: [{ name: 'cv', type: 'file', required: true }],
			files: { maxFiles: 2, maxBytes: 1, types: ['.pdf'] },
		};
		expect(code('html', withFile)).toContain('<input id="cv" name="cv" type="file" accept=".pdf" required>');
		expect(code('html', withFile)).toContain('enctype="multipart/form-data"');
		expect(code('html', withFile)).not.toContain('name="files"');
		expect(code('curl', withFile)).toContain("-F 'cv=@file.pdf'");
	});

	test('for curl send values that keep to them, apart from patterns', () => {
		const body = /-d '(.*)'/.exec(code('curl'))?.[1] ?? '';
		const check = createFieldCheck(fields.filter(({ pattern }) => pattern === undefined));
		expect(atOnce(check({ values: JSON.parse(body), files: new Set() }))).toEqual([]);
	});
});
