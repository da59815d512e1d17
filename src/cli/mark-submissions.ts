/** `formsrv submissions mark` and `delete`, and `formsrv spam mark`: what is done with those that ids or criteria choose. */

import { Argument } from 'commander';
import { FLAG_NAMES, FLAGS, type FlagName, TEXT_NAMES, WORD_LISTS } from '../storage/owned.ts';
import type { BulkTarget, Deleted, Updated } from '../submissions/bulk/schema.ts';
import { CRITERIA, SWITCH_NAMES } from '../submissions/criteria.ts';
import { plural } from '../text/plural.ts';
import { at, formPath } from './api.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import type { CliCommand } from './command.ts';
import { withCriteria } from './query-options.ts';
import { runOnApi } from './run-on-api.ts';
import { sayingAtStop } from './stop-signals.ts';

/** The flags that a mark sets. */
const MARKS = new Map<string, Partial<Record<FlagName, boolean>>>(
	FLAG_NAMES.flatMap((name) => FLAGS[name].map((mark, i) => [mark, { [name]: i === 0 }] as const)),
);

/** With those that say spam a running server learns. */
export function addMark(parent: CliCommand, cli: Cli, marks = [...MARKS.keys()]): void {
	const [first = 'spam'] = marks;
	const command = parent
		.command('mark')
		.description(
			`Mark submissions as ${marks.slice(0, -1).join(', ')} or ${marks.at(-1)}. A running server learns what is spam or genuine within seconds.`,
		)
		.argument('<form>', 'Id or slug of the form')
		.addArgument(new Argument('<as>', 'What to mark them as').choices(marks))
		.argument('[submissions...]', 'Their ids; without them those that the options choose');
	withCriteria(command).examples(
		`formsrv ${parent.name()} mark contact-k3v9x2qm ${first} cmnrg2x8a1c cmnrg2x8b2d`,
		`formsrv ${parent.name()} mark contact-k3v9x2qm genuine --filter starred`,
		`formsrv ${parent.name()} mark contact-k3v9x2qm spam --filter spam --since 2026-01-01`,
	);
	runOnApi(command, { cli }, (options, form: string, as: string, ids: string[]) => {
		const change = { ...targetOf(options, ids), set: MARKS.get(as) };
		return async (api) => {
			const path = `${await formPath(api, form)}/submissions`;
			const report = await inChunks(cli, () => api.patch<Updated>(path, change));
			cli.printResult(options, report, `${report.updated} marked as ${as}.`);
			noteUnknown(cli, report);
		};
	});
}

/** A command for each list of words, called as a word of it is. */
export function addWordLists(submissions: CliCommand, cli: Cli): void {
	for (const { one, max, adding, removing } of WORD_LISTS) {
		const command = submissions
			.command(one)
			.description(`Give submissions a ${one}, or take it from them.`)
			.argument('<form>', 'Id or slug of the form')
			.argument(`<${one}>`, `The ${one}, one line of at most ${max} characters`)
			.argument('[submissions...]', 'Their ids; without them those that the options choose')
			.option('--remove', 'Take it from them');
		withCriteria(command).examples(
			`formsrv submissions ${one} contact-k3v9x2qm urgent cmnrg2x8a1c cmnrg2x8b2d`,
			`formsrv submissions ${one} contact-k3v9x2qm urgent --remove --${one} urgent`,
		);
		runOnApi(command, { cli }, (options, form: string, word: string, ids: string[]) => {
			const [member, done] = options.remove === true ? [removing, 'without'] : [adding, 'with'];
			const change = { ...targetOf(options, ids), [member]: [word] };
			return async (api) => {
				const path = `${await formPath(api, form)}/submissions`;
				const report = await inChunks(cli, () => api.patch<Updated>(path, change));
				cli.printResult(options, report, `${report.updated} ${done} the ${one} ${word}.`);
				noteUnknown(cli, report);
			};
		});
	}
}

/** A command for each text. */
export function addTexts(submissions: CliCommand, cli: Cli): void {
	for (const name of TEXT_NAMES) {
		const command = submissions
			.command(name)
			.description(`Write the ${name} of a submission, in place of the one before; without a text remove it.`)
			.argument('<form>', 'Id or slug of the form')
			.argument('<submission>', 'Its id')
			.argument('[text]', `The ${name}`)
			.examples(`formsrv submissions ${name} contact-k3v9x2qm cmnrg2x8a1c "For Ada."`);
		runOnApi(command, { cli }, (options, form: string, submission: string, text?: string) => async (api) => {
			const set = { [name]: text || null };
			await api.patch((await formPath(api, form)) + at`/submissions/${submission}`, set);
			cli.printResult(options, set, text ? `The ${name} is written.` : `It has no ${name} now.`);
		});
	}
}

export function addDelete(submissions: CliCommand, cli: Cli): void {
	const command = submissions
		.command('delete')
		.description('Delete submissions with their files, for good.')
		.argument('<form>', 'Id or slug of the form')
		.argument('[submissions...]', 'Their ids; without them those that the options choose')
		.option('--yes', 'Delete them; without this the command only says how many it would delete');
	withCriteria(command).examples(
		'formsrv submissions delete contact-k3v9x2qm cmnrg2x8a1c --yes',
		'formsrv submissions delete contact-k3v9x2qm --filter spam --until 2025-12-31 --yes',
	);
	runOnApi(command, { cli }, (options, form: string, ids: string[]) => {
		const deletion = { ...targetOf(options, ids), dryRun: options.yes !== true };
		return async (api) => {
			const path = `${await formPath(api, form)}/submissions/delete`;
			const report = await inChunks(cli, () => api.post<Deleted>(path, deletion), !deletion.dryRun);
			const { deleted, matched } = report;
			noteUnknown(cli, report);
			if (matched === undefined) return cli.printResult(options, report, `Deleted ${plural(deleted, 'submission')}.`);
			throw new CommandError(
				`This deletes ${plural(matched, 'submission')}, which cannot be undone. Add --yes to do it.`,
				2,
			);
		};
	});
}

/** The API changes many in chunks, so that some are done when the command is ended. */
function inChunks<T>(cli: Cli, call: () => Promise<T>, changes = true): Promise<T> {
	const say = () => {
		if (changes)
			cli.note('Some of them may be done, and stay so; a server elsewhere may go on. The same command does the rest.');
	};
	return sayingAtStop(say, call);
}

function noteUnknown(cli: Cli, { unknown }: Pick<Updated, 'unknown'>): void {
	if (!unknown) return;
	cli.exitCode = 1;
	cli.note(`Not found in this form: ${unknown.join(', ')}.`);
}

/** @throws CommandError unless either ids or criteria choose */
function targetOf(options: Options, ids: string[]): BulkTarget {
	const given = CRITERIA.filter((criterion) => options[criterion] !== undefined);
	if (ids.length > 0 === given.length > 0) {
		const names = CRITERIA.map((criterion) => `--${criterion}`);
		throw new CommandError(
			`Name submissions, or choose them with ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
			2,
		);
	}
	if (ids.length > 0) return { ids };
	const texts = Object.fromEntries(given.map((criterion) => [criterion, String(options[criterion])]));
	const switches = SWITCH_NAMES.filter((name) => texts[name]).map((name) => [name, texts[name] === 'true']);
	return { filter: 'all', ...texts, ...Object.fromEntries(switches) };
}
