/** Limits the memory of a program by a control group, if the system permits. */

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface MemoryBound {
	/** The prefix of a command that runs it within the limit; empty without one. */
	prefix: string[];
	/** Number of out-of-memory kills in the group; `null` without a limit. */
	kills(): number | null;
	remove(): void;
}

interface Hierarchy {
	root: string;
	limit: string;
	events: string;
}

const HIERARCHIES: Hierarchy[] = [
	{ root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
	{ root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
];
const NONE: MemoryBound = { prefix: [], kills: () => null, remove: () => {} };

/** Needs the right to create control groups, such as root in a container has; otherwise there is no limit. */
export function boundMemory(bytes: number): MemoryBound {
	for (const hierarchy of HIERARCHIES) {
		const folder = join(hierarchy.root, `formsrv-bench-${process.pid}`);
		try {
			mkdirSync(folder);
		} catch {
			continue;
		}
		if (existsSync(join(folder, hierarchy.limit))) return boundBy(folder, hierarchy, bytes);
		rmdirSync(folder);
	}
	return NONE;
}

function boundBy(folder: string, { limit, events }: Hierarchy, bytes: number): MemoryBound {
	writeFileSync(join(folder, limit), String(bytes));
	return {
		prefix: ['sh', '-c', `echo $$ > ${join(folder, 'cgroup.procs')} && exec "$@"`, 'sh'],
		kills: () => Number(/^oom_kill (\d+)/m.exec(readFileSync(join(folder, events), 'utf8'))?.[1] ?? 0),
		remove: () => rmdirSync(folder),
	};
}
