/** Reads the output of `bun test`: its console text file by file, and the times in its report. */

import { readFile } from 'node:fs/promises';

export interface FileTime {
	file: string;
	seconds: number;
}

interface Block {
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

/** The errors that were thrown beside the tests of a file, each of several lines: they fail a run, and no report names them. */
export function* unhandledIn({ title, lines }: Block): Generator<string> {
	for (const [at, line] of lines.entries()) {
		if (line !== UNHANDLED) continue;
		const rest = lines.slice(at + 2);
		const end = rest.findIndex((next) => /^-{5,}$/.test(next));
		yield [title, ...rest.slice(0, end < 0 ? undefined : end)].join('\n');
	}
}

/** How long each file of tests took. @param report in JUnit's format */
export async function fileTimes(report: string): Promise<FileTime[]> {
	const text = await readFile(report, 'utf8').catch(() => '');
	// Files are two spaces in; what is deeper is a part of one.
	const suites = text.matchAll(/^ {2}<testsuite [^>]*\bfile="([^"]*)"[^>]*\btime="([\d.]+)"/gm);
	return [...suites].map(([, file = '', seconds]) => ({ file, seconds: Number(seconds) }));
}
