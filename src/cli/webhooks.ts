/** `formsrv webhooks`: lists, creates, tests, changes and deletes the webhooks of a form. */

import { Option } from 'commander';
import { WEBHOOK_EVENT_NAMES } from '../delivery/events.ts';
import type {
	CreateWebhook,
	UpdateWebhook,
	Webhook,
	WebhookTestResult,
	WebhookWithSecret,
} from '../delivery/webhooks/schema.ts';
import { INCLUDE_NAMES, WEBHOOK_FORMAT_NAMES } from '../form-values/webhook-formats.ts';
import { type Api, at, formPath } from './api.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import type { CliCommand } from './command.ts';
import { NONE, readJsonOption } from './form-options.ts';
import { textOrFile } from './named-file.ts';
import { runOnApi } from './run-on-api.ts';
import { shorten, shortTime } from './table.ts';

const URL_WIDTH = 60;

interface Place {
	flags: string;
	folder: string;
}

interface SettingOption {
	flags: string;
	help: string;
	choices?: readonly string[];
	/** The text of the command line as the API takes it. */
	read?(text: string, place: Place): unknown;
}

/** Each setting of a webhook once, by its name in the API. */
const SETTINGS: Record<keyof CreateWebhook, SettingOption> = {
	url: {
		flags: '--url <url>',
		help: 'Where it posts to; or @FILE that holds the address, which others cannot read then',
		read: (text, { folder }) => textOrFile(text, folder).trim(),
	},
	name: { flags: '--name <text>', help: 'For people' },
	format: { flags: '--format <format>', help: 'The shape of what it posts', choices: WEBHOOK_FORMAT_NAMES },
	include: { flags: '--include <what>', help: 'How much of a submission a message holds', choices: INCLUDE_NAMES },
	events: {
		flags: '--events <events>',
		help: `Any of ${WEBHOOK_EVENT_NAMES.join(', ')}, separated by commas`,
		read: (text) => text.split(',').map((event) => event.trim()),
	},
	where: { flags: '--where <conditions>', help: 'Which submissions, as JSON or @FILE', read: readJsonOption },
	headers: { flags: '--headers <headers>', help: 'Headers to send along, as JSON or @FILE', read: readJsonOption },
	body: { flags: '--body <body>', help: 'What the format custom posts, as JSON or @FILE', read: readJsonOption },
	isActive: {
		flags: '--active <true|false>',
		help: 'Whether it is used; true resumes one that was disabled',
		choices: ['true', 'false'],
		read: (text) => text === 'true',
	},
};

export function addWebhooks(program: CliCommand, cli: Cli): void {
	const webhooks = program
		.command('webhooks')
		.description('List, create, test, change and delete the webhooks of a form.');
	addList(webhooks, cli);
	addCreate(webhooks, cli);
	addTest(webhooks, cli);
	addUpdate(webhooks, cli);
	addRotate(webhooks, cli);
	addDelete(webhooks, cli);
}

const onForm = (command: CliCommand) => command.argument('<form>', 'Id or slug of the form');
const onWebhook = (command: CliCommand) => onForm(command).argument('<webhook>', 'Id of the webhook');

function withOptions(command: CliCommand): CliCommand {
	for (const { flags, help, choices } of Object.values(SETTINGS)) {
		const option = new Option(flags, help);
		command.addOption(choices ? option.choices([...choices, NONE]) : option);
	}
	return command;
}

/** @throws CommandError */
function inputOf(options: Options, folder: string): UpdateWebhook {
	const given = Object.entries(SETTINGS).flatMap(([name, { flags, read }]) => {
		const text = options[new Option(flags).attributeName()] as string | undefined;
		if (text === undefined) return [];
		return [[name, text === NONE ? null : (read?.(text, { flags, folder }) ?? text)]];
	});
	return Object.fromEntries(given);
}

const pathOf = async (api: Api, form: string) => `${await formPath(api, form)}/webhooks`;

function addList(webhooks: CliCommand, cli: Cli): void {
	const command = onForm(webhooks.command('list').description('List the webhooks of a form, oldest first.'));
	runOnApi(command, { cli }, (options, form: string) => async (api) => {
		const { webhooks } = await api.get<{ webhooks: Webhook[] }>(await pathOf(api, form));
		cli.printList(options, webhooks, {
			columns: {
				ID: ({ id }) => id,
				STATE: stateOf,
				FORMAT: ({ format }) => format,
				EVENTS: ({ events }) => events.join(','),
				CREATED: ({ createdAt }) => shortTime(createdAt),
				URL: ({ url }) => shorten(url, URL_WIDTH),
				NAME: ({ name }) => name ?? '',
			},
			none: 'The form has no webhooks yet. Make one: formsrv webhooks create',
		});
	});
}

function stateOf({ isActive, failingSince }: Webhook): string {
	if (!isActive) return 'off';
	return failingSince === null ? 'active' : 'failing';
}

function addCreate(webhooks: CliCommand, cli: Cli): void {
	const command = withOptions(onForm(webhooks.command('create').description('Create a webhook of a form.'))).examples(
		'formsrv webhooks create contact-k3v9x2qm --url https://hooks.example.com/formsrv',
		'formsrv webhooks create contact-k3v9x2qm --format slack --url @slack-address.txt --include all',
		`formsrv webhooks create contact-k3v9x2qm --url @address.txt --where '[{"field": "topic", "is": "Sales"}]'`,
	);
	runOnApi(command, { cli }, (options, form: string) => {
		const { url, ...input } = inputOf(options, cli.io.cwd);
		if (!url) throw new CommandError('--url is missing. See formsrv webhooks create --help.', 2);
		return async (api) => {
			const webhook = await api.post<WebhookWithSecret>(await pathOf(api, form), { ...input, url });
			printWebhook(cli, webhook, options);
			cli.note('The secret verifies signatures. It is not shown again.');
		};
	});
}

function addTest(webhooks: CliCommand, cli: Cli): void {
	const command = onWebhook(
		webhooks.command('test').description('Post a test to a webhook now; on failure, print what is wrong.'),
	);
	runOnApi(command, { cli }, (options, form: string, webhook: string) => async (api) => {
		const result = await api.post<WebhookTestResult>((await pathOf(api, form)) + at`/${webhook}/test`);
		if (!result.delivered) cli.exitCode = 1;
		if (result.delivered || options.json) cli.printResult(options, result, `It arrived: status ${result.status}.`);
		else cli.note(result.error ?? '');
	});
}

function addUpdate(webhooks: CliCommand, cli: Cli): void {
	const command = withOptions(
		onWebhook(
			webhooks
				.command('update')
				.description('Change the given settings of a webhook; "none" stands for the default of a setting.'),
		),
	).examples(
		'formsrv webhooks update contact-k3v9x2qm cmnrg2x9b3d --active true',
		'formsrv webhooks update contact-k3v9x2qm cmnrg2x9b3d --events submission.created,submission.spam',
	);
	runOnApi(command, { cli }, (options, form: string, webhook: string) => {
		const input = inputOf(options, cli.io.cwd);
		if (Object.keys(input).length === 0) {
			throw new CommandError('Nothing to change was given. See formsrv webhooks update --help.', 2);
		}
		return async (api) =>
			printWebhook(cli, await api.patch<Webhook>((await pathOf(api, form)) + at`/${webhook}`, input), options);
	});
}

function addRotate(webhooks: CliCommand, cli: Cli): void {
	const command = onWebhook(
		webhooks
			.command('rotate-secret')
			.description('Give a webhook a new secret. For a day messages are signed with both.'),
	);
	runOnApi(command, { cli }, (options, form: string, webhook: string) => async (api) => {
		const rotated = await api.post<WebhookWithSecret>((await pathOf(api, form)) + at`/${webhook}/rotate-secret`);
		printWebhook(cli, rotated, options);
		cli.note('The secret verifies signatures. It is not shown again.');
	});
}

function addDelete(webhooks: CliCommand, cli: Cli): void {
	const command = onWebhook(
		webhooks.command('delete').description('Delete a webhook, and what waits to be sent to it.'),
	);
	runOnApi(command, { cli }, (options, form: string, webhook: string) => async (api) => {
		await api.delete((await pathOf(api, form)) + at`/${webhook}`);
		cli.printResult(options, { deleted: webhook }, `Deleted webhook ${webhook}.`);
	});
}

function printWebhook(cli: Cli, webhook: Webhook | WebhookWithSecret, { json }: Options): void {
	if (json) return void cli.printJson(webhook);
	const text = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : `${value}`);
	cli.printTable(
		['SETTING', 'VALUE'],
		Object.entries(webhook).map(([name, value]) => [name, value === null || value === '' ? '-' : text(value)]),
	);
}
