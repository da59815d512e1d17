/** Programs that only a system package gives: tests that need one are skipped without it, and named when the run ends. */

import { describe, test } from 'bun:test';

/** For each program, the tests that need it. */
const PURPOSES = {
	age: 'encrypted backups decrypted by another program',
	bash: 'completions in Bash',
	cc: 'alerts of what takes minutes or hours; a disk that fails, tears and loses what was not synced',
	caddy: 'a server behind Caddy, with deploy/Caddyfile and the configuration of docs/operating.md',
	clamd: 'attached files scanned for viruses',
	curl: 'the quick start of the README, the snippets for curl, and the installer where wget is missing too',
	faketime: 'servers whose clocks differ',
	jq: 'the loop of docs/api.md that polls',
	exim4: 'mails through a real mail server',
	fish: 'completions in fish',
	node: 'the client of the API in Node',
	nginx:
		'files of visitors, addresses of clients and events through a proxy, with the configuration of docs/operating.md',
	pg_dump: 'a dump of PostgreSQL beside a backup of the attached files',
	pgbouncer: 'a pooler in front of PostgreSQL',
	promtool: 'metrics, alerting rules and dashboard as Prometheus reads them',
	python3: 'the receiver of webhooks in Python',
	soffice: 'exports opened in a spreadsheet',
	sqlite3: 'a lock that another program holds',
	strace: 'the order of fsync and response; a disk that fails; kills at each system call of backup and restore',
	tar: 'the installer, and an archive unpacked by another program',
	shellcheck: 'the installer as a script for any shell',
	zsh: 'completions in Zsh',
	'systemd-analyze': 'deploy/formsrv.service',
};
type Program = keyof typeof PURPOSES;

/** With that of the administrator, where servers are. */
const PATH = `${process.env.PATH}:/usr/sbin`;

/** `test` and `describe` for what needs the program, and where it is. */
export function withProgram(program: Program) {
	const path = Bun.which(program, { PATH });
	const isMissing = path === null;
	return { path: path ?? program, isMissing, test: test.skipIf(isMissing), describe: describe.skipIf(isMissing) };
}

/** Returns the parts that were not tested on this machine, a sentence each. */
export function missingPrograms(): string[] {
	const programs = Object.entries(PURPOSES).filter(([program]) => Bun.which(program, { PATH }) === null);
	return programs.map(([program, purpose]) => `Skipped, because ${program} is not installed: ${purpose}.`);
}
