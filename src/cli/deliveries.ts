/** `formsrv deliveries`: lists sent, waiting and failed deliveries, and retries them. */

import { RETRY_STATES } from '../delivery/bounds.ts';
import type { Delivery, DeliveryList, DeliveryWithContent, RetryDeliveries } from '../delivery/schema.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from '../http/query-parameters.ts';
import { CHANNELS, DELIVERY_STATES, MODES, type Mode } from '../storage/tables.ts';
import { type Api, at, findForm } from './api.ts';
import { type Cli, CommandError, type Options, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';
import { queryOf } from './query-options.ts';
import { runOnApi } from './run-on-api.ts';
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
	runOnApi(command, { cli }, (options: ListOptions) => {
		const query = queryOf(options, ['state', 'channel', 'limit', 'offset']);
		return async (api) => {
			const form = await formIdOf(api, options);
			if (form !== undefined) query.set('form', form);
			const { deliveries, pagination } = await api.in(options.mode).get<DeliveryList>('/api/deliveries', query);
			if (options.json) return void cli.printJson({ deliveries, pagination });
			cli.printList(options, deliveries, {
				columns: {
					ID: ({ id }) => id,
					CREATED: ({ createdAt }) => shortTime(createdAt),
					STATE: ({ state }) => state,
					TRIES: ({ attempts }) => `${attempts}`,
					'NEXT TRY': ({ nextAttemptAt }) => nextTry(nextAttemptAt),
					TO: ({ destination }) => shorten(destination, DESTINATION_WIDTH),
					ERROR: ({ lastError }) => shorten(lastError ?? '', ERROR_WIDTH),
				},
				none: 'There are no such deliveries.',
			});
			if (pagination.hasMore) cli.note(`There are more; go on with --offset ${pagination.offset + deliveries.length}.`);
		};
	});
}

/** One that is due waits for its destination, which may be paused, or for a server. */
function nextTry(at: string | null): string {
	return at !== null && Date.parse(at) <= Date.now() ? 'due' : shortTime(at);
}

async function formIdOf(api: Api, { form }: { form?: string }): Promise<string | undefined> {
	return form === undefined ? undefined : (await findForm(api, form)).id;
}

function addShow(deliveries: CliCommand, cli: Cli): void {
	const command = deliveries
		.command('show')
		.description('Show a delivery with the content that was sent or would be.')
		.argument('<delivery>', 'Its id');
	runOnApi(command, { cli }, (options, id: string) => async (api) => {
		const delivery = await api.get<DeliveryWithContent>(at`/api/deliveries/${id}`);
		if (options.json) cli.printJson(delivery);
		else printDelivery(cli, delivery);
	});
}

function printDelivery(cli: Cli, { content, ...members }: DeliveryWithContent): void {
	for (const [name, value] of Object.entries(members)) cli.print(`${name.padEnd(14)} ${value ?? '-'}`);
	if (content === null) return;
	const isMail = members.channel !== 'webhook';
	const { text, html: _, ...rest } = content as { text?: string; html?: string };
	for (const [name, value] of Object.entries(isMail ? rest : content))
		cli.print(`${name.padEnd(14)} ${JSON.stringify(value)}`);
	if (!isMail || text === undefined) return;
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
	runOnApi(command, { cli }, (options: RetryOptions, ids: string[]) => {
		const { state, channel } = options;
		const isFiltered = state !== undefined || channel !== undefined || options.form !== undefined;
		if (ids.length > 0 === isFiltered) {
			throw new CommandError('Give either ids, or which ones with --state, --channel or --form.', 2);
		}
		return async (api) => {
			const form = await formIdOf(api, options);
			for (const id of ids) await api.post(at`/api/deliveries/${id}/retry`);
			const many = () => api.post<{ retried: number }>('/api/deliveries/retry', { state, channel, form });
			const { retried } = ids.length > 0 ? { retried: ids.length } : await many();
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
