/** A real pgbouncer in front of a real PostgreSQL. */

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../free-port.ts';
import { asOtherUser } from '../../run-folder.ts';
import { tempFolder } from '../../temp-folder.ts';
import { until } from '../../until.ts';

export async function startPgbouncer(
	path: string,
	{ port: target, mode }: { port: number; mode: 'session' | 'transaction' },
) {
	const folder = tempFolder();
	chmodSync(folder, 0o755);
	const port = freePort();
	const file = join(folder, 'pgbouncer.ini');
	await Bun.write(
		file,
		`[databases]
		pooled = host=127.0.0.1 port=${target} user=postgres
		[pgbouncer]
		listen_addr = 127.0.0.1
		listen_port = ${port}
		unix_socket_dir =
		auth_type = any
		pool_mode = ${mode}`.replaceAll('\t', ''),
	);
	chmodSync(file, 0o644);
	const child = Bun.spawn([...asOtherUser, path, file], { stdout: 'ignore', stderr: 'ignore' });
	await until(() => accepts(port));
	return {
		address: (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`,
		async stop(): Promise<void> {
			child.kill('SIGKILL');
			await child.exited;
		},
	};
}

async function accepts(port: number): Promise<boolean> {
	try {
		(await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })).end();
		return true;
	} catch {
		return false;
	}
}
