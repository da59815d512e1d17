/** How far a long command is, as a bar on a terminal; nothing where there is none. */

import type { Output } from './cli.ts';

const BAR_WIDTH = 30;
const EVERY_MS = 100;

export interface Progress {
	show(done: number, total: number): void;
	/** Ends the line, if there is one. */
	end(): void;
}

/** @param format Of the numbers beside the bar. */
export function progressOn(stderr: Output, format: (count: number) => string = String): Progress {
	let shownAt = Number.NEGATIVE_INFINITY;
	return {
		show(done, total) {
			const isLast = done >= total;
			if (!stderr.isTTY || (!isLast && performance.now() - shownAt < EVERY_MS)) return;
			shownAt = performance.now();
			const share = total === 0 ? 1 : Math.min(1, done / total);
			const bar = '█'.repeat(Math.round(share * BAR_WIDTH)).padEnd(BAR_WIDTH, '░');
			stderr.write(`\r${bar} ${Math.floor(share * 100)} %  ${format(done)} of ${format(total)}`);
		},
		end() {
			if (shownAt !== Number.NEGATIVE_INFINITY) stderr.write('\n');
			shownAt = Number.NEGATIVE_INFINITY;
		},
	};
}
