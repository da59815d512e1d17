/**
 * The spam score on public sets of spam, and the size and speed of a word model of a million marks.
 *
 * `bun bench/spam.ts [--sets FOLDER] [--marks N]`: the folder has files `NAME.ndjson`, a line for each submission, as in
 * `{"spam": true, "data": {"message": "…"}}`. It prints tables for docs/spam-figures.md, and ends by itself.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
	addRow,
	createCounts,
	createLesson,
	encodeCounts,
	encodeLesson,
	learn,
	type Model,
} from '../src/spam/bayes/counts.ts';
import { createKeyedHash } from '../src/spam/bayes/keyed-hash.ts';
import { readRow } from '../src/spam/bayes/stored-row.ts';
import { tokensOf } from '../src/spam/bayes/tokens.ts';
import { wordVerdict } from '../src/spam/bayes/verdict.ts';
import { RULES } from '../src/spam/rules.ts';
import { type Marked, type Measured, measure, percent } from '../test/spam/corpus.ts';

const { values } = parseArgs({ options: { sets: { type: 'string' }, marks: { type: 'string', default: '1000000' } } });

if (values.sets !== undefined) measureSets(values.sets);
measureModel(Number(values.marks));

function measureSets(folder: string): void {
	const measured = readdirSync(folder)
		.filter((name) => name.endsWith('.ndjson'))
		.sort()
		.map((name) => [name.replace(/\.ndjson$/, ''), measure(readSet(join(folder, name)))] as const);
	console.log('| Set | Spam, others | Found before | False before | Found after | False after |');
	console.log('| --- | ---: | ---: | ---: | ---: | ---: |');
	for (const [name, { before, after }] of measured) {
		const cells = [before.spam, before.ham, after.spam, after.ham].map(
			(found, i) => `${percent(found).toFixed(i % 2 ? 2 : 1)} %`,
		);
		console.log(`| ${name} | ${before.spam.of}, ${before.ham.of} | ${cells.join(' | ')} |`);
	}
	for (const [name, { rules }] of measured) printRules(name, rules);
}

function readSet(path: string): Marked[] {
	return readFileSync(path, 'utf8')
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as Marked);
}

/** In how many each rule spoke, and how many more are spam with it than without it. */
function printRules(name: string, { before, after }: Measured['rules']): void {
	console.log(`\n${name}: in spam, decides | in others, decides; before and after`);
	const none = { spam: 0, ham: 0, spamDecided: 0, hamDecided: 0 };
	for (const rule of Object.keys(RULES) as (keyof typeof RULES)[]) {
		if (!after.has(rule)) continue;
		const cells = [before.get(rule) ?? none, after.get(rule) ?? none].map(
			({ spam, spamDecided, ham, hamDecided }) => `${spam}, ${spamDecided} | ${ham}, ${hamDecided}`,
		);
		console.log(`| \`${rule}\` | ${cells.join(' | ')} |`);
	}
}

/** Marks of some forty words, by Zipf's law of 200,000, a third of them spam with words of its own. */
function measureModel(marks: number): void {
	const hash = createKeyedHash(crypto.getRandomValues(new Uint8Array(32)).toHex());
	const counts = createCounts();
	const message = (isSpam: boolean) => {
		const words = Array.from({ length: 40 }, () => Math.floor(200_000 ** Math.random()));
		return JSON.stringify({
			message: words.map((word) => (word % 3 === 0 ? `${isSpam ? 's' : 'h'}o` : 'w') + word.toString(36)).join(' '),
		});
	};
	const judge = (model: Model, data: string) => {
		const { buckets, partOf } = tokensOf(data, hash);
		return wordVerdict(model, buckets, partOf);
	};
	let learning = 0;
	for (let done = 0; done < marks; done += 100) {
		const lesson = createLesson();
		const texts = Array.from({ length: 100 }, (_, i) => ({ isSpam: i % 3 === 0, data: message(i % 3 === 0) }));
		const began = performance.now();
		for (const { isSpam, data } of texts) learn(lesson, tokensOf(data, hash).buckets, { isSpam, times: 1 });
		addRow(counts, { ...lesson, counts: encodeLesson(lesson) });
		learning += performance.now() - began;
	}
	const merging = performance.now();
	const text = encodeCounts(counts);
	const merged = performance.now() - merging;
	const loading = performance.now();
	const row = readRow({ spam: counts.spam, ham: counts.ham, counts: text });
	const loaded = performance.now() - loading;
	const model: Model = {
		...row,
		look(bucket, looked) {
			looked.spam = 0;
			looked.ham = 0;
			row.addTo(looked, bucket);
		},
	};
	const times = Array.from({ length: 10_000 }, (_, i) => {
		const data = message(i % 3 === 0);
		const began = performance.now();
		judge(model, data);
		return performance.now() - began;
	}).sort((a, b) => a - b);
	const longest = JSON.stringify({ message: Array.from({ length: 400 }, () => message(false)).join(' ') });
	const began = performance.now();
	for (let i = 0; i < 100; i++) judge(model, longest);
	const long = (performance.now() - began) / 100;
	const at = (share: number) => (times[Math.floor(share * times.length)] as number).toFixed(3);
	console.log(
		`\n${marks} marks: ${(text.length / 1e6).toFixed(1)} MB stored, ${(row.bytes / 1e6).toFixed(1)} MB in memory.`,
	);
	console.log(
		`To learn one: ${((1000 * learning) / marks).toFixed(0)} µs. To merge: ${merged.toFixed(0)} ms; to read: ${loaded.toFixed(1)} ms.`,
	);
	console.log(
		`A verdict on 40 words: ${at(0.5)} ms (median), ${at(0.99)} ms (99th percentile); on the longest text: ${long.toFixed(2)} ms.`,
	);
}
