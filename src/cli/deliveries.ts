/** `formsrv deliveries`: lists sent, waiting and failed deliveries, and retries them. */

import type { App } from '../app.ts';
import { RETRY_STATES } from '../delivery/bounds.ts';
import { parseDeliveryQuery } from '../delivery/deliveries.ts';
import type { Delivery, DeliveryWithContent, RetryDeliveries } from '../delivery/schema.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from '../http/query-parameters.ts';
import { CHANNELS, DELIVERY_STATES, MODES, type Mode } from '../storage/tables.ts';
import { type Cli, CommandError, findForm, type Options, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';
import { queryOf } from './query-options.ts';
import { shorten, shortTime } from './table.ts';

const ERROR_WIDTH = 80;
const DESTINATION_WIDTH = 60;

interface ListOptions extends Options {
	form?: string;
	mode?: Mode;
}

interface RetryOptions extends Options {
	state?: RetryDeliveries['state'];
	channel?: Delivery['channel'];
	form?: string;
	json?: true;
}

export function addDeliveries(program: CliCommand, cli: Cli): void {
	const deliveries = program
		.command('deliveries')
		.summary('See which mails and webhook events were sent, and retry them.')
		.description('See sent, waiting and failed mails and webhook events, and retry them.');
	addList(deliveries, cli);
	addShow(deliveries, cli);
	addRetry(deliveries, cli);
	addHold(deliveries, cli);
}

function addList(deliveries: CliCommand, cli: Cli): void {
	const command = deliveries
		.command('list')
		.description('List deliveries, newest first.')
		.choice('--state <state>', 'Only deliveries in this state', DELIVERY_STATES)
		.choice('--channel <channel>', 'Only deliveries of this channel', CHANNELS)
		.option('--form <form>', 'Only for this form (id or slug)')
		.choice('--mode <mode>', 'Only for live or only for test forms', MODES)
		.option('--limit <number>', `Maximum number, 1 to ${LIMIT_MAX} (default: ${LIMIT_DEFAULT})`)
		.option('--offset <number>', 'Number to skip (default: 0)')
		.examples('formsrv deliveries list --state failed', 'formsrv deliveries list --form contact');
	runOnApp(command, { cli }, (options: ListOptions) => {
		const query = parseDeliveryQuery(queryOf(options, ['state', 'channel', 'limit', 'offset']));
		return async (app) => {
			const form = await formIdOf(app, options);
			const page = { mode: options.mode, readQuery: () => query };
			const { deliveries, pagination } = await app.dispatch.deliveries.list({ form }, page);
			if (options.json) return void cli.printJson({ deliveries, pagination });
			cli.printList(options, deliveries, {
				columns: {
					ID: ({ id }) => id,
					CREATED: ({ createdAt }) => shortTime(createdAt),
					STATE: ({ state }) => state,
					TRIES: ({ attempts }) => `${attempts}`,
					'NEXT TRY': ({ nextAttemptAt }) => shortTime(nextAttemptAt),
					TO: ({ destination }) => shorten(destination, DESTINATION_WIDTH),
					ERROR: ({ lastError }) => shorten(lastError ?? '', ERROR_WIDTH),
				},
				none: 'There are no such deliveries.',
			});
			if (pagination.hasMore) cli.note(`There are more; go on with --offset ${pagination.offset + deliveries.length}.`);
		};
	});
}

async function formIdOf(app: App, { form }: { form?: string }): Promise<string | undefined> {
	return form === undefined ? undefined : (await findForm(app, form)).id;
}

function addShow(deliveries: CliCommand, cli: Cli): void {
	const command = deliveries
		.command('show')
		.description('Show a delivery with the content that was sent or would be.')
		.argument('<delivery>', 'Its id');
	runOnApp(command, { cli }, (options, id: string) => async (app) => {
		const delivery = await app.dispatch.deliveries.get(id);
		if (options.json) cli.printJson(delivery);
		else printDelivery(cli, delivery);
	});
}

function printDelivery(cli: Cli, { content, ...members }: DeliveryWithContent): void {
	for (const [name, value] of Object.entries(members)) cli.print(`${name.padEnd(14)} ${value ?? '-'}`);
	if (content === null) return;
	const { text, html: _, ...rest } = content as { text?: string; html?: string };
	for (const [name, value] of Object.entries(rest)) cli.print(`${name.padEnd(14)} ${JSON.stringify(value)}`);
	if (typeof text !== 'string') return;
	cli.print('');
	for (const line of text.trimEnd().split('\n')) cli.print(line);
}

function addRetry(deliveries: CliCommand, cli: Cli): void {
	const command = deliveries
		.command('retry')
		.description(
			'Send deliveries as soon as possible; a running server takes them up within seconds, or, while their ' +
				'destination is unavailable, with the next attempt there, within two minutes.',
		)
		.argument('[delivery...]', 'Their ids; without them, all that match')
		.choice('--state <state>', 'Without ids: all in this state', RETRY_STATES)
		.choice('--channel <channel>', 'Without ids: only deliveries of this channel', CHANNELS)
		.option('--form <form>', 'Without ids: only for this form (id or slug)')
		.examples(
			'formsrv deliveries retry cmnrg2x8a2k',
			'formsrv deliveries retry --state failed',
			'formsrv deliveries retry --state held',
		);
	runOnApp(command, { cli, action: 'retryDeliveries' }, (options: RetryOptions, ids: string[]) => {
		const { state, channel } = options;
		const isFiltered = state !== undefined || channel !== undefined || options.form !== undefined;
		if (ids.length > 0 === isFiltered) {
			throw new CommandError('Give either ids, or which ones with --state, --channel or --form.', 2);
		}
		return async (app) => {
			const form = await formIdOf(app, options);
			const { retry, retryMany } = app.dispatch.retries;
			for (const id of ids) await retry(id);
			const retried = ids.length > 0 ? ids.length : await retryMany({ state, channel, form });
			const what = retried === 1 ? 'delivery is' : 'deliveries are';
			cli.printResult(options, { retried }, `${retried} ${what} tried again.`);
		};
	});
}

function addHold(deliveries: CliCommand, cli: Cli): void {
	const command = deliveries
		.command('hold')
		.description(
			'Hold all that waits to be sent, until "formsrv deliveries retry --state held". "formsrv restore" does so by itself; do it before ' +
				'the first start after a database was restored by other means, such as pg_restore, because it may have been sent since.',
		);
	runOnApp(command, { cli }, (options) => async (app) => {
		const held = await app.dispatch.retries.hold();
		cli.printResult(options, { held }, `${held} ${held === 1 ? 'delivery is' : 'deliveries are'} held.`);
	});
}
