/** The dashboard's sentences stand in its catalogue, `sentences/`, and nowhere else. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { phrase } from '../../../src/dashboard/web/sentences/phrase.ts';
import * as words from '../../../src/dashboard/web/sentences/words.ts';

const WEB = join(import.meta.dir, '../../../src/dashboard/web');

interface Node extends Record<string, unknown> {
	type: string;
}

/** Attributes of which every letter is read. */
const SHOWN = /^(title|aria-label|alt|label|hint|legend|intro|verb|save|what)$/;
/** Attributes and members of which none is. */
const UNSEEN = /^(class|buttonClass|look|rel|sandbox|autocomplete)$/;
/** Elements whose content is the same in every language. */
const VERBATIM = /^(code|kbd)$/;
/** Texts that programs read, and the name of the program. */
const NO_SENTENCES = [
	/^(formsrv|\/f\/)$/,
	/^(Escape|ApiError|AbortError|Content-Type|Bearer|Authorization: Bearer …)$/,
	/^formsrv [a-z-]+( create)?$/,
];
/** Code for other pages, of which the sentences are taken from the catalogue; names of fields; class names in variables. */
const OF_PROGRAMS: Record<string, RegExp> = {
	'views/connect/snippets.ts': /[<>{}]|-H ["']|^const /,
	'views/connect/snippet-inputs.ts': /</,
	'summary.ts': /^(your|full|first) (email|name)$/,
	'components/inputs.tsx': /^input mono$/,
	'shortcuts.ts': /contenteditable/,
	'views/form-settings/fields-setting.tsx': /^\.form-foot/,
};

const isNode = (value: unknown): value is Node =>
	typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const childrenOf = (node: Node) => Object.values(node).flat().filter(isNode);

function textOf({ type, value }: Node): string | undefined {
	if (type === 'JSXText' || (type === 'Literal' && typeof value === 'string')) return `${value}`.trim();
	return type === 'TemplateElement' ? (value as { raw: string }).raw.trim() : undefined;
}

/** The name of an attribute, a member or an element. */
const nameOf = (node: unknown) => (isNode(node) ? `${node.name ?? node.value ?? ''}` : '');

/** Reads as a sentence: a capital and a small letter, or two words. */
const isWorded = (text: string) => /^\p{Lu}\p{Ll}|\p{L}{2,}[,.:;]? \p{L}{2,}/u.test(text);

/** Returns whether no person reads what is in the node. */
function isUnseen(node: Node, name: string): boolean {
	if (node.type === 'JSXElement') return VERBATIM.test(nameOf((node.openingElement as Node).name));
	const isImport = /^(Import|Export)/.test(node.type) && isNode(node.source);
	return isImport || /^TS(?!As|Satisfies|NonNull)/.test(node.type) || UNSEEN.test(name);
}

/** @param isShown True in an attribute of which every letter is read. */
function isSentence(text: string, path: string, isShown: boolean): boolean {
	if (NO_SENTENCES.some((form) => form.test(text)) || OF_PROGRAMS[path]?.test(text)) return false;
	return isShown ? /\p{L}/u.test(text) : isWorded(text);
}

/** The texts of a program that people read. */
function sentencesIn(path: string, source: string): string[] {
	const found: string[] = [];
	function walk(node: Node, isShown: boolean): void {
		const isAttribute = node.type === 'JSXAttribute';
		const name = nameOf(isAttribute ? node.name : node.type === 'Property' && node.key);
		if (isUnseen(node, name)) return;
		const text = textOf(node);
		if (text !== undefined && isSentence(text, path, isShown || node.type === 'JSXText'))
			found.push(`${path}: ${text}`);
		const isStillShown = isShown && /^(JSXExpression|Template|Conditional|Logical)/.test(node.type);
		for (const child of childrenOf(node)) walk(child, isAttribute ? SHOWN.test(name) : isStillShown);
	}
	walk(parseSync(path, source).program as unknown as Node, false);
	return found;
}

test('no component and no other file has a sentence', async () => {
	const found: string[] = [];
	for await (const path of new Bun.Glob('**/*.{ts,tsx}').scan(WEB)) {
		if (!path.startsWith('sentences/')) found.push(...sentencesIn(path, await Bun.file(join(WEB, path)).text()));
	}
	expect(found).toEqual([]);
});

test('the page itself has none but the name of the program: the build puts in what is read without script', async () => {
	const texts: string[] = [];
	const page = await Bun.file(join(WEB, 'index.html')).text();
	new HTMLRewriter()
		.on('*', { text: ({ text }) => void (text.trim() !== '' && texts.push(text.trim())) })
		.transform(page);
	expect(texts).toEqual(['formsrv']);
});

test.each<string[]>([
	['<p>Nothing found</p>', 'Nothing found'],
	['<p>\n\tdeleted\n</p>', 'deleted'],
	['<b>{count} new</b>', 'new'],
	['<b>{isNew ? "Nothing" : "some text"}</b>', 'Nothing', 'some text'],
	['<input placeholder="Search" />', 'Search'],
	['<img alt="x" />', 'x'],
	['<Button label={isOld ? `remove` : "keep"} />', 'remove', 'keep'],
	['showToast(`Rows were deleted.`)', 'Rows were deleted.'],
	['const LABELS = { a: "Any", b: { hint: "of any kind" } }', 'Any', 'of any kind'],
	['throw new Error("Give it a name.")', 'Give it a name.'],
	['<p class="muted small">{words.inbox.dates} <kbd>Esc</kbd><code>text of code</code></p>'],
	['const tone = isOld ? "warn" : "good";'],
])('in %j are: %j', (source, ...sentences) => {
	expect(sentencesIn('one.tsx', source)).toEqual(sentences.filter(Boolean).map((text) => `one.tsx: ${text}`));
});

test('a phrase keeps elements where its sentence has them', () => {
	expect(phrase`Press ${'s'} or ${false}.`).toEqual(['Press ', 's', ' or ', false, '.', undefined]);
	expect(words.inbox.nothingStarredHint('s').join('')).toBe(
		'Star what you want to come back to: s on an open submission.',
	);
});
