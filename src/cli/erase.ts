/** `formsrv erase`: removes all that names a person, and shows what was erased before. */

import { resolve } from 'node:path';
import type { App } from '../app.ts';
import { recordAction } from '../storage/audit/action.ts';
import { type ErasureRecord, isErasureRecord, outcomeOf } from '../submissions/erasures/records.ts';
import type { Erasure, ErasureOutcome } from '../submissions/erasures/schema.ts';
import { plural } from '../text/plural.ts';
import { type Cli, CommandError, type Options, runOnApp, userName } from './cli.ts';
import type { CliCommand } from './command.ts';
import { readNamedFile } from './named-file.ts';
import { writeToFile } from './output-file.ts';
import { shortTime } from './table.ts';

/** There is only one caller in a command. */
const CALLER = 'command';
const HASH_SHOWN = 12;
/** Only files may take longer than what the command does itself: until a backup has read them. */
const FILES_MS = 10_000;

export function addErase(program: CliCommand, cli: Cli): void {
	const command = program
		.command('erase')
		.summary('Erase a person: all that names a mail address.')
		.description(
			'Remove all that names a mail address, of all forms, live and test, spam included: submissions with their files, mails and ' +
				'webhook requests, other kept mails, and entries of block and allow lists. The whole address is compared, whatever the case. ' +
				'Without --yes nothing is removed, only counted. A record stays that does not name the address; "formsrv restore" has the ' +
				'erasure done again if it brings back an older backup.',
		)
		.option('--email <address>', 'The mail address')
		.option('--yes', 'Do it; this cannot be undone')
		.option('--list', 'List the erasures so far')
		.option('--save <file>', 'Save the records of all erasures to a file, by which a known address can be asked for')
		.option('--force', 'With --save: overwrite the file if there is one')
		.option('--again <file>', 'Do the erasures of such a file again, after a database was restored by other means')
		.examples(
			'formsrv erase --email ada@example.com',
			'formsrv erase --email ada@example.com --yes',
			'formsrv erase --list',
		);
	runOnApp(command, { cli, action: 'erase' }, (options) => {
		const { email, list, save, again } = options;
		if ([email, list, save, again].filter((given) => given !== undefined).length !== 1) {
			throw new CommandError('Give one of --email, --list, --save and --again. See formsrv erase --help.', 2);
		}
		return async (app) => {
			if (list) return printErasures(cli, options, await app.erasures.list());
			if (save !== undefined) return saveRecords(cli, app, { options, file: String(save) });
			if (again !== undefined) return repeat(cli, app, { options, file: String(again) });
			const outcome = options.yes
				? await erase(cli, app, String(email))
				: await app.erasures.preview(String(email), CALLER);
			printOutcome(cli, options, outcome);
		};
	});
}

async function erase(cli: Cli, app: App, email: string): Promise<ErasureOutcome> {
	const { erasure, settings } = await app.erasures.note(email, `user:${await userName()}`);
	await finish(cli, app);
	return outcomeOf(await app.erasures.settled(erasure.id, 0), settings);
}

/** Does what is noted; a server beside this may do some of it. */
async function finish(cli: Cli, app: App): Promise<void> {
	const goOn = async () => true;
	let giveUpAt = Number.POSITIVE_INFINITY;
	for (;;) {
		await app.erasures.run(goOn);
		const left = await app.erasures.stillRunning();
		if (left === 'nothing') return;
		if (left === 'files') giveUpAt = Math.min(giveUpAt, performance.now() + FILES_MS);
		if (performance.now() > giveUpAt) {
			cli.note('The bytes of files are removed once the backup that is being made has read them, by the server.');
			return;
		}
		await Bun.sleep(200);
	}
}

function printOutcome(cli: Cli, options: Options, outcome: ErasureOutcome): void {
	if (options.json) return void cli.printJson(outcome);
	const { dryRun, submissions, files, deliveries, listEntries, settings, erasure } = outcome;
	cli.printTable(
		[dryRun ? 'WOULD GO' : 'ERASED', 'NUMBER'],
		Object.entries({
			submissions,
			'their files': files,
			'other kept mails and webhook requests': deliveries,
			'entries of block and allow lists': listEntries,
		}).map(([name, count]) => [name, `${count}`]),
	);
	for (const { form, setting } of settings)
		cli.note(`It stays in a setting of yours: ${setting}${form === null ? '' : ` of the form ${form}`}.`);
	if (dryRun) cli.note('Nothing was removed. Add --yes to do it.');
	else cli.note(`The record of it is ${erasure?.id}.`);
}

function printErasures(cli: Cli, options: Options, erasures: readonly Erasure[]): void {
	cli.printList(options, erasures, {
		columns: {
			ID: ({ id }) => id,
			ASKED: ({ createdAt }) => shortTime(createdAt),
			BY: ({ by }) => by,
			STATE: ({ state }) => state,
			AGAIN: ({ againAt }) => shortTime(againAt),
			SUBMISSIONS: ({ submissions }) => `${submissions}`,
			HASH: ({ hash }) => hash.slice(0, HASH_SHOWN),
		},
		none: 'No person was erased.',
	});
}

interface FileJob {
	options: Options;
	file: string;
}

async function saveRecords(cli: Cli, app: App, { options, file }: FileJob): Promise<void> {
	const records = await app.erasures.stored();
	await recordAction(app.storage, { facts: { save: true } });
	const written = { chunks: chunksOf(JSON.stringify(records)), total: 1, done: 1 };
	const isForced = options.force === true;
	await writeToFile(written, { file: resolve(cli.io.cwd, file), isForced, stderr: cli.io.stderr });
	cli.printResult(options, { file, erasures: records.length }, `${plural(records.length, 'erasure')} in ${file}.`);
}

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
	yield Buffer.from(text);
}

/** @throws CommandError unless it is a file that `--save` wrote */
function readRecords(cli: Cli, file: string): ErasureRecord[] {
	const text = readNamedFile(file, cli.io.cwd);
	try {
		const read: unknown = JSON.parse(text);
		if (Array.isArray(read) && read.every(isErasureRecord)) return read;
	} catch {
		// No JSON at all.
	}
	throw new CommandError(`${file} is no file that "formsrv erase --save" wrote.`, 2);
}

async function repeat(cli: Cli, app: App, { options, file }: FileJob): Promise<void> {
	const again = await app.erasures.repeat(readRecords(cli, file));
	await finish(cli, app);
	cli.printResult(options, { again }, `${plural(again, 'erasure')} done again; the others are in the database.`);
}
