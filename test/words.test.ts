/** The glossary of CONTRIBUTING.md is kept to: the words that it replaces stand nowhere. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
/** The folders in which all words are cleaned. */
const CLEAN = /^(src|bench|scripts)\/|^(README|SECURITY)|^docs\/[^/]*\.md/;
const CODE = /^(src|bench|scripts)\//;
const CLEAN_TESTS = /^(src|test)\/(delivery|durability|hostile|http|intake|listeners)\//;
/** A word, its replacement, and the paths that are kept free of it if they are not all. */
const BANNED: readonly [RegExp, string, RegExp?][] = [
	[/\bfaces\b|\bopenFace|\bcreateFace/i, 'listener, handler, request pipeline'],
	[/\bupkeep\b/i, 'maintenance'],
	[/\b(nobody(?! is signed in)|somebody|whoever|everybody|anybody)\b/i, 'the name of the actor', CLEAN],
	[/\bstrangers?\b|the public.s door/i, 'client, untrusted client', CLEAN_TESTS],
	[/(leaves?|left) the house|of the house|\b(open|use)?Houses?\b/i, 'outgoing, built-in, fixture', CLEAN_TESTS],
	[/'ill'|\ban ill\b|\bis ill\b|mailTrouble/i, 'unavailable, outage', /^(src|test)\//],
	[/\b(lanes?|laneOf)\b/i, 'destination worker', /^(src|test)\//],
	[/\bceilings?\b/i, 'cap', /^(src|test)\//],
	[/\bfates?\b|takeBack|bringForward/i, 'initial state, requeue, reschedule', /^(src|test)\//],
	[/\b(spend|spent)\b/i, 'consume, use', CLEAN_TESTS],
	[/\bis(It|Meant|Theirs|Asked)\b/, 'a noun for a condition, such as byId', CLEAN_TESTS],
	// Not the value of `unknownFields`.
	[/\brefus(als?|e|es|ing)\b(?![('`]|: \{)/i, 'reject, error', CLEAN],
	// Neither the fields and variables of that name, nor refused connections.
	[/(?<![.']|= )\brefused\b(?![(),:?-]| [=>}]|\.\w)/, 'rejected', CODE],
	[/\b(answers|Answer|answerer)\b(?!:| \$)/, 'returns, response', CLEAN],
	[/\b(answered|answering)\b/i, 'responded, returned', CODE],
	[/\btold of\b|\btells of\b|\bunder way\b/i, 'notified, in flight', CLEAN],
	[/\b(spelled|spelling|spellings)\b/i, 'written, form', CLEAN_TESTS],
	[/\bwants(Json|Page)\b/, 'prefersJson, prefersPage'],
	[/\b(Narrowing|Extent|Slice)|\b(parse|to)(Narrowing|Extent)/, 'Criteria, Condition, Paging', /^(src|test)\//],
	[/\b(recogniseAgain|mayHear)\b/, 'reauthenticate, maySee', /^(src|test)\//],
	[/\b(hear|paint|repaint)\(/, 'handleEvent, applyFlags', /^src\/dashboard\//],
	[/\b(receptions?|scouts?|hindrances?)\b/i, 'upload, primary probe, commit blocker', /^src\//],
	[/\b(asker|newcomer)\b/, 'caller', /^(src|test)\//],
	[/\brecognise(Again|First)|\bholderOf\b|\badvise\b/, 'authenticate, principalOf, note'],
];
const PATHS = [
	'src/**/*.{ts,tsx,css,html}',
	'test/**/*.ts',
	'bench/*.ts',
	'scripts/*.ts',
	'docs/**/*.md',
	'{README,CONTRIBUTING,SECURITY}.md',
];

test.each(BANNED)('%s is written as: %s', async (word, _replacement, where = /^/) => {
	const found: string[] = [];
	for (const pattern of PATHS) {
		for await (const path of new Bun.Glob(pattern).scan(ROOT)) {
			if (path === 'test/words.test.ts' || !where.test(path)) continue;
			const lines = (await Bun.file(join(ROOT, path)).text()).split('\n');
			found.push(
				...lines.flatMap((line, i) => (word.test(line) && !isGlossary(path, line) ? [`${path}:${i + 1}`] : [])),
			);
		}
	}
	expect(found).toEqual([]);
});

test('a comment begins with its subject or a verb', async () => {
	const found: string[] = [];
	for (const pattern of PATHS.filter((path) => !path.endsWith('.md'))) {
		for await (const path of new Bun.Glob(pattern).scan(ROOT)) {
			if (path === 'test/words.test.ts') continue;
			for (const { line, text } of comments(await Bun.file(join(ROOT, path)).text())) {
				if (/^(Of|What|Whether)\b/.test(text)) found.push(`${path}:${line} ${text}`);
			}
		}
	}
	expect(found).toEqual([]);
});

test.each([
	['/** Of a form. */', 'Of a form.'],
	['/**\n * What it is,\n * and why.\n */', 'What it is,'],
	['\t// Whether it is.\n\t// What follows is of the same comment.', 'Whether it is.'],
	['\t{/* Of a view. */}', 'Of a view.'],
	['call(); // What it does.', 'What it does.'],
])('the comments of %j begin with %j', (source, text) => {
	expect(comments(source).map((comment) => comment.text)).toEqual([text]);
});

/** Each comment's first line of text; consecutive lines with // are one comment. */
function comments(source: string): { line: number; text: string }[] {
	const lines = source.split('\n');
	return lines.flatMap((content, i) => {
		const isContinued = /^\s*\/\//.test(content) && /^\s*\/\//.test(lines[i - 1] ?? '');
		const isOpening = /^\s*\/\*\*?\s*$/.test(lines[i - 1] ?? '');
		const marker = isOpening ? /^\s*\* ?(.*)/ : /(?:^|[\s{])\/(?:\/|\*\*?) (.*?)(?:\s*\*\/.*)?$/;
		const text = isContinued ? undefined : marker.exec(content)?.[1];
		return text ? [{ line: i + 1, text }] : [];
	});
}

/** The column of words not to be used. */
function isGlossary(path: string, line: string): boolean {
	return path === 'CONTRIBUTING.md' && /^\|.*\|.*\|.*\|$/.test(line);
}
