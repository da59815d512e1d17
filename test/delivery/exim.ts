/** Debian's exim as a mail server for tests: its own configuration in its own folder, delivering to files. */

import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { until } from '../until.ts';
import { makeCertificate } from './certificate.ts';

/** Exim delivers nothing as root. */
const NOBODY = 65_534;

export interface DeliveredMail {
	raw: string;
	from: string;
	to: string[];
}

export interface Exim {
	port: number;
	/** Every mail delivered so far, in the order of arrival. */
	mails(): Promise<DeliveredMail[]>;
	stop(): Promise<void>;
}

export const EXIM_LOGIN = { user: 'robot', pass: 'p%ss:wörd/@' };

export async function startExim(binary: string): Promise<Exim> {
	const folder = await mkdtemp(join(tmpdir(), 'formsrv-exim-'));
	await chmod(folder, 0o777);
	const mailFolder = join(folder, 'mail');
	await mkdir(mailFolder);
	await chmod(mailFolder, 0o777);
	await makeCertificate(folder);
	const port = freePort();
	await Bun.write(join(folder, 'exim.conf'), configuration(folder));
	const daemon = Bun.spawn([binary, '-C', join(folder, 'exim.conf'), '-bdf', '-oX', `127.0.0.1.${port}`], {
		stdout: 'ignore',
		stderr: 'ignore',
	});
	await until(() => isListening(port));
	return {
		port,
		async mails() {
			// Files in this folder of a maildir are complete. It is there after the first mail.
			const arrived = join(mailFolder, 'new');
			const files = (await readdir(arrived).catch((): string[] => [])).sort();
			return Promise.all(files.map(async (file) => readDelivered(await Bun.file(join(arrived, file)).text())));
		},
		async stop() {
			daemon.kill();
			await daemon.exited;
			await rm(folder, { recursive: true, force: true });
		},
	};
}

function configuration(folder: string): string {
	return `
exim_user = ${process.getuid?.()}
exim_group = ${process.getgid?.()}
spool_directory = ${folder}/spool
log_file_path = ${folder}/%slog
pid_file_path = ${folder}/pid
primary_hostname = mail.test
never_users =
keep_environment =
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
auth_advertise_hosts = *
smtp_accept_max = 50
acl_smtp_rcpt = acl_rcpt
acl_smtp_data = accept

begin acl
acl_rcpt:
  deny message = no such user
       local_parts = nobody
  accept authenticated = *
  deny message = relay not permitted

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${EXIM_LOGIN.user}}}{eq{$auth3}{${EXIM_LOGIN.pass.replaceAll(':', '\\:')}}}}{yes}{no}}
  server_set_id = $auth2

begin routers
all:
  driver = accept
  transport = file

begin transports
file:
  driver = appendfile
  directory = ${folder}/mail
  maildir_format
  create_directory
  user = ${process.getuid?.() || NOBODY}
  group = ${process.getgid?.() || NOBODY}
  batch_max = 100
  batch_id = all
  return_path_add = true
  delivery_date_add = false
  envelope_to_add = true
  message_prefix =
  message_suffix =
`;
}

const isListening = (port: number) =>
	new Promise<boolean>((resolve) => {
		const socket = connect(port, '127.0.0.1', () => resolve(true));
		socket.on('error', () => resolve(false));
		socket.on('data', () => socket.destroy());
	});

/** Takes off what exim itself wrote on top: the envelope as it saw it, and the line of its reception. */
function readDelivered(file: string): DeliveredMail {
	const from = /^Return-path: <(.*)>$/m.exec(file)?.[1] ?? '';
	const to = /^Envelope-to: ((?:.*\n(?=\s))*.*)$/m.exec(file)?.[1]?.split(/,\s*/) ?? [];
	return {
		raw: file.replace(/^Return-path:.*\nEnvelope-to:(.*\n(?=\s))*.*\nReceived:(.*\n(?=\s))*.*\n/, ''),
		from,
		to,
	};
}
