/** `formsrv forms`: lists, creates, shows, changes and deletes forms. */

import { type Command, Option } from 'commander';
import type { Form } from '../forms/schema.ts';
import { FORM_SETTINGS, type FormInput, SETTING_NAMES, type SettingName } from '../forms/settings.ts';
import { MODES, type Mode } from '../storage/tables.ts';
import { type Cli, CommandError, examples, findForm, type Options, runOnApp } from './cli.ts';
import { shortTime } from './table.ts';

/** The value that clears an optional setting. */
const NONE = 'none';

export function addForms(program: Command, cli: Cli): void {
	const forms = program.command('forms').description('List, create, show, change and delete forms.');
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
		.addOption(new Option('--mode <mode>', 'Only live or only test forms').choices(MODES));
	runOnApp(command, { cli }, (options: Options & { mode?: Mode }) => async (app) => {
		cli.printList(options, await app.forms.list(options.mode), {
			columns: {
				ID: ({ id }) => id,
				SLUG: ({ slug }) => slug,
				MODE: ({ mode }) => mode,
				STATE: ({ isActive }) => (isActive ? 'active' : 'inactive'),
				SUBMISSIONS: ({ submissionCount }) => `${submissionCount}`,
				UNREAD: ({ unreadCount }) => `${unreadCount}`,
				CREATED: ({ createdAt }) => shortTime(createdAt),
				NAME: ({ name }) => name,
			},
			none: 'There are no forms yet. Create one: formsrv forms create "Contact"',
		});
	});
}

function addCreate(forms: Command, cli: Cli): void {
	const command = forms
		.command('create')
		.description('Create a form.')
		.argument('<name>', 'Its name')
		.option('--test', 'Create a test form, whose mails and webhooks are never sent');
	withFormOptions(command, 'create').addHelpText(
		'after',
		examples(
			'formsrv forms create "Contact"',
			'formsrv forms create "Contact" --notification-email me@example.com --allowed-domains example.com',
		),
	);
	runOnApp(command, { cli, create: () => true }, (options, name: string) => async (app) => {
		const form = await app.forms.create(options.test ? 'test' : 'live', { ...inputOf(options), name });
		printForm(cli, form, options);
		cli.note(`Web pages post to /f/${form.slug} at the submit address, or /api/f/${form.slug} at the base address.`);
	});
}

function addShow(forms: Command, cli: Cli): void {
	const command = forms
		.command('show')
		.description('Show a form with its settings and counts.')
		.argument('<form>', 'Its id or slug');
	runOnApp(command, { cli }, (options, name: string) => async (app) => {
		printForm(cli, await findForm(app, name), options);
	});
}

function addUpdate(forms: Command, cli: Cli): void {
	const command = forms
		.command('update')
		.description('Change the given settings of a form; "none" clears a setting.')
		.argument('<form>', 'Its id or slug');
	withFormOptions(command, 'update').addHelpText(
		'after',
		examples(
			'formsrv forms update contact-k3v9x2qm --active false',
			'formsrv forms update contact-k3v9x2qm --redirect-url none',
		),
	);
	runOnApp(command, { cli }, (options, name: string) => {
		const input = inputOf(options);
		if (Object.keys(input).length === 0) {
			throw new CommandError('Nothing to change was given. See formsrv forms update --help.', 2);
		}
		return async (app) => {
			const { id } = await findForm(app, name);
			printForm(cli, await app.forms.update(id, { input }), options);
		};
	});
}

function addDelete(forms: Command, cli: Cli): void {
	const command = forms
		.command('delete')
		.description('Delete a form with all its submissions, for good.')
		.argument('<form>', 'Its id or slug')
		.option('--yes', 'Delete it; without this the command only says what it would delete')
		.addHelpText('after', examples('formsrv forms delete contact-k3v9x2qm --yes'));
	runOnApp(command, { cli }, (options, name: string) => async (app) => {
		const form = await findForm(app, name);
		const what = `form "${form.name}" (${form.slug}) and its ${form.submissionCount + form.spamCount} submissions`;
		if (!options.yes) {
			throw new CommandError(`This deletes ${what}, which cannot be undone. Add --yes to do it.`, 2);
		}
		await app.forms.remove(form.id);
		cli.printResult(options, { deleted: form.id }, `Deleted ${what}.`);
	});
}

/** The options for the settings of a form. */
function withFormOptions(command: Command, verb: 'create' | 'update'): Command {
	for (const setting of Object.values(FORM_SETTINGS)) {
		const { flags, help = setting.option[verb] } = setting.option;
		if (help === undefined) continue;
		const option = new Option(flags, help);
		if (setting.texts) option.choices(setting.isClearable ? [...setting.texts, NONE] : setting.texts);
		command.addOption(option);
	}
	return command;
}

/** The settings that the options of a call name. */
function inputOf(options: Options): FormInput {
	const values = SETTING_NAMES.map((name) => {
		const setting = FORM_SETTINGS[name];
		const text = options[new Option(setting.option.flags).attributeName()] as string | undefined;
		if (text === undefined) return [name, undefined] as const;
		return [name, text === NONE && setting.isClearable ? null : setting.parse(text)] as const;
	});
	return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function printForm(cli: Cli, form: Form, { json }: Options): void {
	if (json) return void cli.printJson(form);
	cli.printTable(
		['SETTING', 'VALUE'],
		Object.entries(form).map(([name, value]) => [name, formatMember(name, value) || '-']),
	);
}

function formatMember(name: string, value: Form[keyof Form]): string {
	if (value === null) return '';
	if (name in FORM_SETTINGS) return FORM_SETTINGS[name as SettingName].format(value);
	return Array.isArray(value) ? value.join(', ') : `${value}`;
}
