/** `formsrv forms`: lists, creates, shows, changes, clones and deletes forms, and prints the code for pages. */

import { Argument } from 'commander';
import { snippetsOf } from '../dashboard/web/views/connect/form-snippets.ts';
import { SNIPPET_KINDS } from '../dashboard/web/views/connect/snippets.ts';
import type { Webhook } from '../delivery/webhooks/schema.ts';
import type { Form } from '../forms/schema.ts';
import { FORM_SETTINGS, SETTING_NAMES, type SettingName } from '../forms/settings.ts';
import type { FieldSuggestion } from '../forms/suggestion/suggest-fields.ts';
import type { Lists } from '../spam/lists/schema.ts';
import { MODES, type Mode } from '../storage/tables.ts';
import { plural } from '../text/plural.ts';
import { type Api, at, findForm, formPath } from './api.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import type { CliCommand } from './command.ts';
import { addDump } from './dump.ts';
import { inputOf, withFormOptions } from './form-options.ts';
import { runOnApi } from './run-on-api.ts';
import { shortTime } from './table.ts';

export function addForms(program: CliCommand, cli: Cli): void {
	const forms = program
		.command('forms')
		.description('List, create, show, change, clone and delete forms; print the code for pages.');
	addList(forms, cli);
	addCreate(forms, cli);
	addShow(forms, cli);
	addUpdate(forms, cli);
	addClone(forms, cli);
	addSnippet(forms, cli);
	addSuggestFields(forms, cli);
	addDelete(forms, cli);
	addDump(forms, cli);
}

function addList(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('list')
		.description('List the forms, newest first.')
		.choice('--mode <mode>', 'Only live or only test forms', MODES);
	runOnApi(command, { cli }, (options: Options & { mode?: Mode }) => async (api) => {
		const { forms } = await api.in(options.mode).get<{ forms: Form[] }>('/api/forms');
		cli.printList(options, forms, {
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

function addCreate(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('create')
		.description('Create a form.')
		.argument('<name>', 'Its name')
		.option('--test', 'Create a test form, whose mails and webhooks are never sent');
	withFormOptions(command, 'create').examples(
		'formsrv forms create "Contact"',
		'formsrv forms create "Contact" --notification-email me@example.com --allowed-domains example.com',
	);
	runOnApi(command, { cli, create: () => true }, (options, name: string) => {
		const input = { ...inputOf(options, cli.io.cwd), name };
		return async (api) => {
			const form = await api.in(options.test ? 'test' : undefined).post<Form>('/api/forms', input);
			printForm(cli, form, options);
			cli.note(`Web pages post to /f/${form.slug} at the submit address, or /api/f/${form.slug} at the base address.`);
		};
	});
}

function addShow(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('show')
		.description('Show a form with its settings and counts.')
		.argument('<form>', 'Id or slug of the form');
	runOnApi(command, { cli }, (options, name: string) => async (api) => {
		printForm(cli, await api.get<Form>(await formPath(api, name)), options);
	});
}

function addUpdate(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('update')
		.description('Change the given settings of a form; "none" stands for the default of a setting.')
		.argument('<form>', 'Id or slug of the form');
	withFormOptions(command, 'update').examples(
		'formsrv forms update contact-k3v9x2qm --active false',
		'formsrv forms update contact-k3v9x2qm --redirect-url none',
	);
	runOnApi(command, { cli }, (options, name: string) => {
		const input = inputOf(options, cli.io.cwd);
		if (Object.keys(input).length === 0) {
			throw new CommandError('Nothing to change was given. See formsrv forms update --help.', 2);
		}
		return async (api) => printForm(cli, await api.patch<Form>(await formPath(api, name), input), options);
	});
}

function addClone(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('clone')
		.description(
			'Create a form with the settings, webhooks and lists of another, and without its submissions. Webhooks get secrets of their own; one with ' +
				'headers is not taken along, because their values cannot be read. Elsewhere it takes a key with "admin".',
		)
		.argument('<form>', 'Id or slug of the form')
		.argument('<name>', 'The name of the new one')
		.option('--slug <slug>', 'Its public name in the submission address (default: made from the name)')
		.examples('formsrv forms clone contact-k3v9x2qm "Contact, Berlin"');
	runOnApi(command, { cli }, (options: Options & { slug?: string }, idOrSlug: string, name: string) => async (api) => {
		const original = await findForm(api, idOrSlug);
		const path = at`/api/forms/${original.id}`;
		const { webhooks } = await api.get<{ webhooks: Webhook[] }>(`${path}/webhooks`);
		const lists = await api.get<Lists>(`${path}/lists`);
		const settings = Object.fromEntries(SETTING_NAMES.map((setting) => [setting, original[setting]]));
		// It takes submissions once it has the rest.
		const input = { ...settings, name, slug: options.slug ?? null, keptIn: null, isActive: false };
		const made = await api.in(original.mode).post<Form>('/api/forms', input);
		const { isActive } = original;
		const filled = await fillClone(cli, api, { made, isActive, webhooks, lists }).catch((error: Error) => {
			throw new CommandError(
				`The form ${made.slug} was made, and takes no submissions yet: ${error.message} Finish it, or delete it.`,
			);
		});
		printForm(cli, filled, options);
	});
}

interface Clone {
	made: Form;
	isActive: boolean;
	webhooks: readonly Webhook[];
	lists: Lists;
}

async function fillClone(cli: Cli, api: Api, { made, isActive, webhooks, lists }: Clone): Promise<Form> {
	const copy = at`/api/forms/${made.id}`;
	for (const webhook of webhooks) {
		const { name, url, format, include, events, where, body, isActive, headers } = webhook;
		if (Object.keys(headers).length > 0)
			cli.note(`The webhook ${name ?? webhook.id} has headers, and is not taken along: add it to ${made.slug}.`);
		else
			await api.post(`${copy}/webhooks`, {
				...{ name, url, format, include, events, where, isActive },
				...(body && { body }),
			});
	}
	await api.patch(`${copy}/lists`, lists);
	return api.patch<Form>(copy, { isActive });
}

function addSnippet(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('snippet')
		.description('Print the code that connects a page to a form.')
		.argument('<form>', 'Id or slug of the form')
		.addArgument(new Argument('[kind]', 'For which kind of page').choices(SNIPPET_KINDS).default('html'))
		.examples(
			'formsrv forms snippet contact-k3v9x2qm',
			'formsrv forms snippet contact-k3v9x2qm react > ContactForm.jsx',
		);
	runOnApi(command, { cli }, (options, idOrSlug: string, kind: string) => async (api) => {
		const form = await findForm(api, idOrSlug);
		const { paths } = await api.get<ServedDocument>('/api/openapi.json');
		const submitUrl = paths['/f/{slug}'].servers[0].url;
		const withFiles = form.fields?.some(({ type }) => type === 'file') ?? false;
		const snippets = snippetsOf(form, { address: `${submitUrl}/f/${form.slug}`, submitUrl, withFiles });
		const { code = '' } = snippets.find((snippet) => snippet.id === kind) ?? {};
		if (options.json) cli.printJson({ kind, code });
		else for (const line of code.split('\n')) cli.print(line);
	});
}

/** The part of the API document that says where forms post to. */
interface ServedDocument {
	paths: { '/f/{slug}': { servers: [{ url: string }] } };
}

function addSuggestFields(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('suggest-fields')
		.description('Print rules that hold for the newest submissions of a form, as JSON. Nothing is changed.')
		.argument('<form>', 'Id or slug of the form')
		.examples(
			'formsrv forms suggest-fields contact-k3v9x2qm > rules.json',
			'formsrv forms update contact-k3v9x2qm --fields @rules.json',
		);
	runOnApi(command, { cli }, (options, name: string) => async (api) => {
		const suggestion = await api.get<FieldSuggestion>(`${await formPath(api, name)}/fields/suggestion`);
		cli.printJson(options.json ? suggestion : suggestion.fields);
		cli.note(`Proposed from ${plural(suggestion.scanned, 'submission')}. Look at them before you use them.`);
	});
}

function addDelete(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('delete')
		.description('Delete a form with all its submissions, for good.')
		.argument('<form>', 'Id or slug of the form')
		.option('--yes', 'Delete it; without this the command only says what it would delete')
		.examples('formsrv forms delete contact-k3v9x2qm --yes');
	runOnApi(command, { cli }, (options, name: string) => async (api) => {
		const form = await findForm(api, name);
		const count = form.submissionCount + form.spamCount + form.pendingCount;
		const what = `form "${form.name}" (${form.slug}) and its ${plural(count, 'submission')}`;
		if (!options.yes) {
			throw new CommandError(`This deletes ${what}, which cannot be undone. Add --yes to do it.`, 2);
		}
		await api.delete(at`/api/forms/${form.id}`);
		cli.printResult(options, { deleted: form.id }, `Deleted ${what}.`);
	});
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
