/** The pool of connections to PostgreSQL, when the server takes no more of them for a while. */

import { expect, test } from 'bun:test';
import type { Driver, Link } from '../../../src/storage/postgres/connection/link.ts';
import { createPool } from '../../../src/storage/postgres/connection/pool.ts';

function link(name: string, onOver: (link: Link) => void): Link {
	const made: Link = {
		sql: name as unknown as Driver,
		openedAt: performance.now(),
		idleSince: performance.now(),
		jobs: 0,
		isHeld: false,
		close: async () => onOver(made),
	};
	return made;
}

test('what waits goes on as soon as the server takes connections again, though those that there are stay in use', async () => {
	const answers = ['first', undefined, 'second'];
	const pool = createPool({
		max: 2,
		isKept: false,
		open: async (onOver) => {
			const name = answers.shift();
			if (name === undefined) throw new Error('too many connections');
			return link(name, onOver);
		},
	});
	expect((await pool.hold()) as unknown).toBe('first');
	const ran = await pool.use(async (sql) => sql as unknown, false);
	expect(ran).toBe('second');
	expect(answers).toEqual([]);
	await pool.end(0);
});
