/** `formsrv mail`: tests the mail settings. */

import { readMailSetup } from '../delivery/mail/setup.ts';
import { checkRecipient, sendTestMail } from '../delivery/mail/test-mail.ts';
import { localUrl } from '../network/local-url.ts';
import { type Cli, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';

export function addMail(program: CliCommand, cli: Cli): void {
	const mail = program.command('mail').description('Test the mail settings.');
	const command = mail
		.command('test')
		.description('Send a test mail with the settings of the server; on failure, print what is wrong.')
		.argument('<address>', 'Recipient')
		.examples(
			'FORMSRV_SMTP_URL=smtp://user:password@mail.example.com:587 FORMSRV_MAIL_FROM=forms@example.com \\',
			'  formsrv mail test you@example.com',
		);
	withSettings(command, ['mailFrom', 'baseUrl']).action(async (address: string, options: Options) => {
		const to = checkRecipient(address);
		const config = cli.loadSettings(options);
		const setup = readMailSetup({ ...config, baseUrl: config.baseUrl ?? localUrl(config.host, config.port) });
		const { server } = setup;
		if (server) cli.note(`Sending as ${setup.identity.from.address} through ${server.host}:${server.port} …`);
		const reply = await sendTestMail(to, { ...setup, language: config.language });
		cli.print(`The mail server accepted it: ${reply}`);
	});
}
