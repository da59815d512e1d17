/** Changes to single bytes of an archive. */

import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const BLOCK = 512;

interface Member {
	name: string;
	/** Start of its content. */
	start: number;
	end: number;
}

/** Flips one bit. */
export function changeByte(file: string, at: number): void {
	const fd = openSync(file, 'r+');
	const byte = Buffer.alloc(1);
	readSync(fd, byte, 0, 1, at);
	writeSync(fd, Buffer.from([(byte[0] ?? 0) ^ (1 << (at % 8))]), 0, 1, at);
	closeSync(fd);
}

/** Places in headers, contents, padding and the end, from the first to the last, with the name of the member that has them. */
export function spreadOver(members: readonly Member[], count: number): { at: number; member: string }[] {
	const places = members.flatMap(({ name, start, end }) => {
		const padded = Math.ceil(end / BLOCK) * BLOCK;
		const header = [0, 100, 120, 124, 135, 140, 148, 156, 257, 263, 345, 511].map((offset) => start - BLOCK + offset);
		const content = [start, (start + end) >> 1, end - 1].filter((at) => at >= start && at < end);
		const padding = [end, padded - 1].filter((at) => at >= end && at < padded);
		return [...header, ...content, ...padding].map((at) => ({ at, member: name }));
	});
	const end = Math.ceil((members.at(-1)?.end ?? 0) / BLOCK) * BLOCK;
	places.push({ at: end, member: 'end of the archive' }, { at: end + 2 * BLOCK - 1, member: 'end of the archive' });
	const step = (places.length - 1) / (count - 1);
	return Array.from({ length: count }, (_, i) => places[Math.round(i * step)]).filter((place) => place !== undefined);
}
