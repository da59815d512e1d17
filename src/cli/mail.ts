/** `formsrv mail`: tests the mail settings, and shows or tries the mail of a form. */

import { publicUrls } from '../config.ts';
import { readMailSetup } from '../delivery/mail/setup.ts';
import { checkRecipient, sendTestMail } from '../delivery/mail/test-mail.ts';
import type { MailContent } from '../delivery/schema.ts';
import { formatMailbox } from '../text/email-address.ts';
import { formPath } from './api.ts';
import { type Cli, CommandError, type Options, STORAGE_SETTINGS, userName, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { runOnApi } from './run-on-api.ts';

const FORM = ['--form <form>', 'Id or slug of a form: its mail, with invented values'] as const;

export function addMail(program: CliCommand, cli: Cli): void {
	const mail = program.command('mail').description('Test the mail settings, and look at the mail of a form.');
	addTest(mail, cli);
	addPreview(mail, cli);
}

function addTest(mail: CliCommand, cli: Cli): void {
	const command = mail
		.command('test')
		.description('Send a test mail with the settings of the server; on failure, print what is wrong.')
		.argument('[address]', 'Recipient; left out with --form, whose mail goes to its recipients')
		.option(...FORM)
		.examples(
			'FORMSRV_SMTP_URL=smtp://user:password@mail.example.com:587 FORMSRV_MAIL_FROM=forms@example.com \\',
			'  formsrv mail test you@example.com',
			'formsrv mail test --form contact-k3v9x2qm',
		);
	withSettings(command, [...STORAGE_SETTINGS, 'mailFrom', 'baseUrl']).action(
		async (address: string | undefined, options: Options & { form?: string }) => {
			const { form } = options;
			if ((address === undefined) === (form === undefined))
				throw new CommandError('Name either an address, or a form with --form.', 2);
			if (address !== undefined) return testSettings(cli, address, options);
			return cli.withApp(options, {
				action: 'testNotification',
				async use(app) {
					const { localApi } = await import('./local-api.ts');
					const api = localApi(app, await userName());
					const path = await formPath(api, form as string);
					const { reply, to } = await api.post<{ reply: string; to: string[] }>(`${path}/notification/test`);
					cli.print(`The mail server accepted it for ${to.join(', ')}: ${reply}`);
				},
			});
		},
	);
}

async function testSettings(cli: Cli, address: string, options: Options): Promise<void> {
	const to = checkRecipient(address);
	const config = cli.loadSettings(options);
	const setup = readMailSetup({ ...config, baseUrl: publicUrls(config).base });
	const { server } = setup;
	if (server) cli.note(`Sending as ${setup.identity.from.address} through ${server.host}:${server.port} …`);
	const reply = await sendTestMail(to, { ...setup, language: config.language });
	cli.print(`The mail server accepted it: ${reply}`);
}

function addPreview(mail: CliCommand, cli: Cli): void {
	const command = mail
		.command('preview')
		.description('Show the mail of a form, with invented values. Nothing is sent.')
		.requiredOption(...FORM)
		.option('--html', 'Print its HTML part')
		.examples('formsrv mail preview --form contact-k3v9x2qm');
	runOnApi(command, { cli }, (options: Options & { form: string; html?: boolean }) => async (api) => {
		const content = await api.post<MailContent>(`${await formPath(api, options.form)}/notification/preview`);
		if (options.json) return void cli.printJson(content);
		if (options.html) return void cli.io.stdout.write(content.html);
		const { from, to, cc, bcc, replyTo, subject, text } = content;
		const headers = {
			From: [formatMailbox(from)],
			To: to,
			Cc: cc,
			Bcc: bcc,
			'Reply-To': replyTo === null ? [] : [replyTo],
		};
		for (const [name, values] of Object.entries(headers))
			if (values.length > 0) cli.print(`${name}: ${values.join(', ')}`);
		for (const line of [`Subject: ${subject}`, '', ...text.trimEnd().split('\n')]) cli.print(line);
	});
}
