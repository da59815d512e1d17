/** Reads the output of `bun test`: its console text file by file, and its report. */

import { readFile } from 'node:fs/promises';

export interface FileTime {
	file: string;
	seconds: number;
}

export interface Block {
	/** The path of a file of tests with a colon, or nothing for what stands at the end. */
	title: string;
	lines: string[];
}

/** The output of one file of tests after the other. It is that of several processes, but `bun test` keeps it together. */
export async function* readBlocks(output: ReadableStream<Uint8Array>): AsyncGenerator<Block> {
	const decoder = new TextDecoder();
	let block: Block = { title: '', lines: [] };
	let rest = '';
	for await (const chunk of output) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines) {
			const isTitle = /^\S+\.test\.tsx?:$/.test(line);
			if (isTitle && block.lines.length > 0) yield block;
			if (isTitle) block = { title: line, lines: [] };
			else block.lines.push(line);
		}
	}
	yield { ...block, lines: [...block.lines, rest] };
}

/** The tests of a file that passed when they were tried again. */
export function retriedIn({ title, lines }: Block): string[] {
	return lines.flatMap((line) => {
		const [, name] = /^\(pass\) (.*) \(attempt \d+\)/.exec(line) ?? [];
		return name ? [`${title} ${name}`] : [];
	});
}

const UNHANDLED = '# Unhandled error between tests';

/** The errors that were thrown beside the tests of a file, each of several lines: `bun test` ends with 1 because of them, and no report has them. */
export function* unhandledIn({ title, lines }: Block): Generator<string> {
	for (const [at, line] of lines.entries()) {
		if (line !== UNHANDLED) continue;
		const rest = lines.slice(at + 2);
		const end = rest.findIndex((next) => /^-{5,}$/.test(next));
		yield [title, ...rest.slice(0, end < 0 ? undefined : end)].join('\n');
	}
}

/** How many tests failed, `undefined` if there is no report, and how long each file took. @param report in JUnit's format */
export async function readReport(report: string): Promise<{ failures: number | undefined; times: FileTime[] }> {
	const text = await readFile(report, 'utf8').catch(() => '');
	const [, failures] = /<testsuites [^>]*\bfailures="(\d+)"/.exec(text) ?? [];
	// Files are two spaces in; what is deeper is a part of one.
	const suites = text.matchAll(/^ {2}<testsuite [^>]*\bfile="([^"]*)"[^>]*\btime="([\d.]+)"/gm);
	const times = [...suites].map(([, file = '', seconds]) => ({ file, seconds: Number(seconds) }));
	return { failures: failures === undefined ? undefined : Number(failures), times };
}
