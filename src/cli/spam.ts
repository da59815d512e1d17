/** `formsrv spam`: explains verdicts, marks submissions, and rebuilds or resets the word models. */

import { signed } from '../spam/verdict.ts';
import type { SpamExplanation } from '../submissions/spam/schema.ts';
import { type Cli, CommandError, findFormIn, runOnApp } from './cli.ts';
import type { CliCommand } from './command.ts';
import { addMark } from './mark-submissions.ts';

/** Words of a model that are printed. */
const WORDS = 12;

export function addSpam(program: CliCommand, cli: Cli): void {
	const spam = program
		.command('spam')
		.description('Explain why submissions are spam, and teach the server by marking them.');
	addExplain(spam, cli);
	addMark(spam, cli, ['spam', 'genuine']);
	addTrain(spam, cli);
	addReset(spam, cli);
}

function addExplain(spam: CliCommand, cli: Cli): void {
	const command = spam
		.command('explain')
		.description('Say why a submission is spam or not, or whether a text would be.')
		.argument('<form>', 'Id or slug of the form')
		.argument('[submission]', 'The id of a submission')
		.option('--text <text>', 'A text instead, as if it were sent to the form now')
		.examples(
			'formsrv spam explain contact-k3v9x2qm cmnrg2x8a1c',
			'formsrv spam explain contact-k3v9x2qm --text "Buy cheap pills at www.example.com"',
		);
	runOnApp(command, { cli }, (options, name: string, submission: string | undefined) => {
		const { text } = options;
		if ((submission === undefined) === (text === undefined)) {
			throw new CommandError('Name a submission, or give a text with --text.', 2);
		}
		return async (app) => {
			const { id } = await findFormIn(app, name);
			const explanation =
				submission === undefined
					? await app.explain.text(id, String(text))
					: await app.explain.submission(id, { id: submission });
			if (options.json) cli.printJson(explanation);
			else print(cli, explanation);
		};
	});
}

function print(
	cli: Cli,
	{ isSpam, spamReason, spamScore, threshold, spamReasons, mark, words }: SpamExplanation,
): void {
	const verdict = isSpam ? `Spam (${spamReason})` : 'No spam';
	cli.print(`${verdict}. Score ${spamScore}, threshold ${threshold ?? 'off'}${mark ? `, marked as ${mark}` : ''}.`);
	if (spamReasons.length > 0) {
		const rows = spamReasons.map(({ points, label, detail }) => [signed(points), label, detail]);
		cli.printTable(['POINTS', 'RULE', 'FOUND'], rows);
	}
	for (const [where, said] of [
		['this form', words.form],
		['all forms', words.server],
	] as const) {
		const { spam, genuine } = said.learnt ?? { spam: 0, genuine: 0 };
		const marks = `${spam} marked as spam and ${genuine} as genuine`;
		if (said.points === null) {
			cli.note(`The words of ${where} say nothing yet: ${marks}; it takes 20 of each.`);
			continue;
		}
		cli.note(
			`The words of ${where} say ${signed(said.points)} now: ${said.known} known, evidence ${said.evidence}, ${marks}.`,
		);
		if (said.parts.length > 0)
			cli.printTable(
				['EVIDENCE', 'PART'],
				said.parts.map(({ part, evidence }) => [signed(evidence), part]),
			);
		const shown = said.words.slice(0, WORDS);
		if (shown.length > 0)
			cli.printTable(
				['WEIGHT', 'WORD', 'PART'],
				shown.map(({ word, part, weight }) => [signed(weight), word, part]),
			);
	}
}

function addTrain(spam: CliCommand, cli: Cli): void {
	const command = spam
		.command('train')
		.description('Learn anew, from the marks of all submissions that are still there, what marks have taught.');
	runOnApp(command, { cli }, (options) => async (app) => {
		const marks = await app.spam.training.relearn();
		while (await app.spam.training.learn());
		await app.spam.training.merge(1);
		cli.printResult(options, { learnt: marks }, `Learnt from ${marks} marks.`);
	});
}

function addReset(spam: CliCommand, cli: Cli): void {
	const command = spam
		.command('reset')
		.description('Forget all marks and all that they have taught. Submissions stay where they are.')
		.option('--yes', 'Do it');
	runOnApp(command, { cli }, (options) => {
		if (!options.yes) throw new CommandError('This forgets what all marks have taught. Add --yes to do it.', 2);
		return async (app) => {
			const forgotten = await app.spam.training.forget();
			cli.printResult(options, { forgotten }, `Forgot ${forgotten} marks.`);
		};
	});
}
