/** `formsrv forms`: list, make, show, change and delete forms. */

import { type Command, Option } from 'commander';
import { CAPTCHA_NAMES } from '../captchas.ts';
import type { CreateForm, Form } from '../forms/schema.ts';
import { MODES, type Mode } from '../storage/tables.ts';
import { type Cli, CommandError, examples, findForm, type Options, withStorage } from './cli.ts';
import { shortTime } from './table.ts';

interface FormOptions extends Options {
	name?: string;
	slug?: string;
	active?: 'true' | 'false';
	notificationEmail?: string;
	redirectUrl?: string;
	allowedDomains?: string;
	captcha?: NonNullable<CreateForm['captcha']> | typeof NONE;
	json?: true;
}

/** Clears a setting that need not be there. */
const NONE = 'none';

export function addForms(program: Command, cli: Cli): void {
	const forms = program.command('forms').description('List, make, show, change and delete forms.');
	addList(forms, cli);
	addCreate(forms, cli);
	addShow(forms, cli);
	addUpdate(forms, cli);
	addDelete(forms, cli);
}

function addList(forms: Command, cli: Cli): void {
	const command = forms
		.command('list')
		.description('List the forms, newest first.')
		.addOption(new Option('--mode <mode>', 'Only live or only test forms').choices(MODES))
		.option('--json', 'Print JSON');
	withStorage(command).action((options: Options & { mode?: Mode }) =>
		cli.withApp(options, {
			use: async (app) => {
				const all = await app.forms.list(options.mode);
				if (options.json) return void cli.printJson(all);
				if (all.length === 0)
					return void cli.advise('There are no forms yet. Make one: formsrv forms create "Contact"');
				cli.printTable(['ID', 'SLUG', 'MODE', 'STATE', 'SUBMISSIONS', 'UNREAD', 'CREATED', 'NAME'], all.map(listRow));
			},
		}),
	);
}

function listRow(form: Form): string[] {
	const { id, slug, mode, name } = form;
	const state = form.isActive ? 'active' : 'inactive';
	return [id, slug, mode, state, `${form.submissionCount}`, `${form.unreadCount}`, shortTime(form.createdAt), name];
}

function addCreate(forms: Command, cli: Cli): void {
	const command = forms
		.command('create')
		.description('Make a form.')
		.argument('<name>', 'Its name')
		.option('--slug <slug>', 'Its public name in the submission address (default: made from the name)')
		.option('--test', 'Make a test form, whose mails and webhooks are never sent');
	withFormOptions(command).addHelpText(
		'after',
		examples(
			'formsrv forms create "Contact"',
			'formsrv forms create "Contact" --notification-email me@example.com --allowed-domains example.com',
		),
	);
	withStorage(command).action((name: string, options: FormOptions & { test?: true }) =>
		cli.withApp(options, {
			create: true,
			use: async (app) => {
				const form = await app.forms.create(options.test ? 'test' : 'live', { ...inputOf(options), name });
				printForm(cli, form, options);
				cli.advise(
					`Web pages post to /f/${form.slug} at the submit address, or /api/f/${form.slug} at the base address.`,
				);
			},
		}),
	);
}

function addShow(forms: Command, cli: Cli): void {
	const command = forms
		.command('show')
		.description('Show a form with its settings and counts.')
		.argument('<form>', 'Its id or slug')
		.option('--json', 'Print JSON');
	withStorage(command).action((name: string, options: Options) =>
		cli.withApp(options, { use: async (app) => printForm(cli, await findForm(app, name), options) }),
	);
}

function addUpdate(forms: Command, cli: Cli): void {
	const command = forms
		.command('update')
		.description('Change what is given of a form; "none" clears a setting.')
		.argument('<form>', 'Its id or slug')
		.option('--name <text>', 'Another name')
		.option('--slug <slug>', 'Another public name; the old one leads here too, until another form takes it')
		.addOption(new Option('--active <true|false>', 'Whether it takes submissions').choices(['true', 'false']));
	withFormOptions(command).addHelpText(
		'after',
		examples(
			'formsrv forms update contact-k3v9x2qm --active false',
			'formsrv forms update contact-k3v9x2qm --redirect-url none',
		),
	);
	withStorage(command).action((name: string, options: FormOptions) => {
		const input = { ...inputOf(options), name: options.name };
		if (Object.values(input).every((value) => value === undefined)) {
			throw new CommandError('Nothing to change was given. See formsrv forms update --help.', 2);
		}
		return cli.withApp(options, {
			use: async (app) => {
				const { id } = await findForm(app, name);
				printForm(cli, await app.forms.update(id, { input }), options);
			},
		});
	});
}

function addDelete(forms: Command, cli: Cli): void {
	const command = forms
		.command('delete')
		.description('Delete a form with all its submissions, for good.')
		.argument('<form>', 'Its id or slug')
		.option('--yes', 'Do it; without this it is only said what would go')
		.option('--json', 'Print JSON')
		.addHelpText('after', examples('formsrv forms delete contact-k3v9x2qm --yes'));
	withStorage(command).action((name: string, options: Options) =>
		cli.withApp(options, {
			use: async (app) => {
				const form = await findForm(app, name);
				const what = `form "${form.name}" (${form.slug}) and its ${form.submissionCount + form.spamCount} submissions`;
				if (!options.yes) {
					throw new CommandError(`This deletes ${what}, which cannot be undone. Add --yes to do it.`, 2);
				}
				await app.forms.remove(form.id);
				if (options.json) cli.printJson({ deleted: form.id });
				else cli.print(`Deleted ${what}.`);
			},
		}),
	);
}

/** The options for what an owner may set of a form besides its names. */
function withFormOptions(command: Command): Command {
	return command
		.option('--notification-email <addresses>', 'Who is told of submissions; up to ten, separated by commas')
		.option('--redirect-url <url>', 'Where a browser is sent after a submission')
		.option('--allowed-domains <domains>', 'Whose pages may post, separated by commas (default: any)')
		.addOption(
			new Option('--captcha <vendor>', 'The captcha that a submission must pass').choices([...CAPTCHA_NAMES, NONE]),
		)
		.option('--json', 'Print JSON');
}

function inputOf(options: FormOptions): Omit<CreateForm, 'name'> {
	const { slug, active, notificationEmail, redirectUrl, allowedDomains, captcha } = options;
	const domains = orNull(allowedDomains);
	return {
		slug,
		isActive: active === undefined ? undefined : active === 'true',
		notificationEmail: orNull(notificationEmail),
		redirectUrl: orNull(redirectUrl),
		allowedDomains: domains === null ? null : domains?.split(','),
		captcha: orNull(captcha),
	};
}

function orNull<T extends string>(text: T | typeof NONE | undefined): T | null | undefined {
	return text === NONE ? null : text;
}

function printForm(cli: Cli, form: Form, { json }: Options): void {
	if (json) {
		cli.printJson(form);
		return;
	}
	cli.printTable(
		['SETTING', 'VALUE'],
		Object.entries(form).map(([name, value]) => [
			name,
			Array.isArray(value) ? value.join(', ') || '-' : `${value ?? '-'}`,
		]),
	);
}
