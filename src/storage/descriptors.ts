/** How many descriptors the process uses, of how many: each connection, file and thread takes some. */

import { readdirSync, readFileSync } from 'node:fs';

interface Descriptors {
	used: number;
	limit: number;
}

const UNKNOWN: Descriptors = { used: 0, limit: Number.POSITIVE_INFINITY };

/** To count them takes one: if there is none, all are in use. */
export function countDescriptors(): Descriptors {
	if (process.platform !== 'linux') return UNKNOWN;
	try {
		const used = readdirSync('/proc/self/fd').length;
		const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
		return limit === undefined ? UNKNOWN : { used, limit: Number(limit) };
	} catch (error) {
		return (error as { code?: string }).code === 'EMFILE' ? { used: 1, limit: 1 } : UNKNOWN;
	}
}
