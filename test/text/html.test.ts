/** The HTML template escapes what it is given and nothing else. */

import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { escapeHtml, html, rawHtml, renderHtml } from '../../src/text/html.ts';

describe('html', () => {
	test('escapes every value for content and quoted attributes', () => {
		const text = renderHtml(html`<a title="${`"'><&`}">${'<b>'}</a>`);
		expect(text).toBe('<a title="&quot;&#39;&gt;&lt;&amp;">&lt;b&gt;</a>');
	});

	test('keeps HTML as it is, also in lists', () => {
		const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
		expect(renderHtml(html`<ul>${items}${rawHtml('<hr>')}</ul>`)).toBe('<ul><li>a</li><li>&lt;b&gt;</li><hr></ul>');
	});

	test('leaves out null, undefined and false, and shows 0', () => {
		expect(renderHtml(html`[${null}${undefined}${false}${0}]`)).toBe('[0]');
	});

	test('does not accept parsed JSON as markup', () => {
		const forged = JSON.parse('[{"markup":"<script>"},{"Symbol(markup)":"<script>"}]');
		expect(() => renderHtml(html`${forged}`)).toThrow();
	});

	test('lets no value open a tag or end an attribute', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (text) => {
				expect(escapeHtml(text)).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/);
			}),
		);
	});
});
