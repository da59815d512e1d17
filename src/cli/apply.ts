/** `formsrv apply`: makes forms as a file says. */

import { shownUrl } from '../delivery/webhooks/posting-settings.ts';
import { AppError } from '../errors.ts';
import { plural } from '../text/plural.ts';
import { type Cli, CommandError } from './cli.ts';
import type { CliCommand } from './command.ts';
import { type ReadFile, readFormsFile, sentencesOf } from './forms-file.ts';
import { type Plan, planOf, type Step } from './plan.ts';
import { runOnApi } from './run-on-api.ts';
import { sayingAtStop } from './stop-signals.ts';
import { shorten } from './table.ts';

const VALUE_WIDTH = 80;
const SIGNS: Record<Step['action'], string> = { create: '+', change: '~', delete: '-' };

export function addApply(program: CliCommand, cli: Cli): void {
	const command = program
		.command('apply')
		.summary('Make forms as a file says.')
		.description(
			'Make and change forms as a TOML or JSON file says, by their slugs: settings, webhooks and lists. What the file leaves out of a form has ' +
				'its default. The plan is printed first. Doing it again changes nothing. Values of secrets come from the environment: ' +
				'url_env = "NAME" takes the place of url, and so everywhere.',
		)
		.argument('<file>', 'The file, as "formsrv forms dump" writes one')
		.option('--dry-run', 'Print the plan only; exit 3 if there is something to do')
		.option('--prune', 'Delete forms that are kept in this file and no longer in it, and webhooks that are not in it')
		.option('--yes', 'With --prune: delete them; this cannot be undone')
		.examples(
			'formsrv apply forms.toml --dry-run',
			'formsrv apply forms.toml',
			'formsrv apply forms.toml --server https://forms.example.com --key-file formsrv.key',
		);
	runOnApi(command, { cli, create: ({ dryRun }) => !dryRun }, (options, path: string) => {
		const { dryRun, prune, yes, json } = options;
		if (prune && !dryRun && !yes)
			throw new CommandError('--prune deletes for good. Look at --dry-run, then add --yes.', 2);
		const file = readFormsFile(path, cli.io);
		if (prune && file.name === undefined)
			throw new CommandError(
				'--prune needs a name in the file, such as name = "website", so that no file deletes forms of another.',
			);
		return async (api) => {
			const plan = await planOf(api, file, { prune: prune === true });
			for (const label of plan.kept)
				cli.note(`Not in the file, and left alone: ${file.redact(label)}. --prune deletes it.`);
			const print = (step: Step) => json || printStep(cli, file, step);
			if (dryRun) {
				plan.steps.forEach(print);
				const { length } = plan.steps;
				cli.note(length === 0 ? 'There is nothing to do.' : `${plural(length, 'change')} to make.`);
				if (length > 0) cli.exitCode = 3;
			}
			const made = { done: 0 };
			try {
				if (!dryRun) await apply(cli, { file, plan, print, made });
			} finally {
				const steps = plan.steps.map((step) => shownStep(step, file));
				if (json) cli.printJson({ steps, done: made.done, kept: plan.kept.map(file.redact) });
			}
		};
	});
}

interface Work {
	file: ReadFile;
	plan: Plan;
	print: (step: Step) => void;
	/** How many steps were done; counted up. */
	made: { done: number };
}

async function apply(cli: Cli, { file, plan: { steps }, print, made }: Work): Promise<void> {
	const all = plural(steps.length, 'change');
	const soFar = () => `Done: ${made.done} of ${all}. Applying it again goes on.`;
	await sayingAtStop(
		() => cli.note(soFar()),
		async () => {
			for (const step of steps) {
				print(step);
				await step.run().catch((error: Error) => {
					const why = file.redact(error instanceof AppError ? sentencesOf(error) : error.message);
					throw new CommandError(`forms.${step.form}: ${why} ${soFar()}`);
				});
				made.done += 1;
			}
		},
	);
	cli.note(steps.length === 0 ? 'There was nothing to do.' : `${all} made.`);
}

function printStep(cli: Cli, file: ReadFile, step: Step): void {
	cli.print(`${SIGNS[step.action]} ${file.redact(step.label)}`);
	for (const { member, before, after } of shownChanges(step, file)) {
		const text = (value: unknown) => shorten(JSON.stringify(value) ?? '-', VALUE_WIDTH);
		cli.print(`    ${member}: ${step.action === 'create' ? '' : `${text(before)} → `}${text(after)}`);
	}
}

/** Without values from the environment, and without what may hold credentials: addresses of webhooks, and what they post. */
function shownChanges({ changes, path, what }: Step, file: ReadFile) {
	const shown = (member: string, value: unknown): unknown => {
		if (value === null || value === undefined || what !== 'webhook') return value;
		if (member === 'body') return '…';
		return member === 'url' ? shownUrl(String(value)) : value;
	};
	return Object.entries(changes).map(([member, { before, after }]) => {
		const variables = file.variablesOf([...path, member]);
		if (variables.length > 0) return { member, before: '…', after: variables.join(' ') };
		return { member, before: shown(member, before), after: shown(member, after) };
	});
}

function shownStep(step: Step, file: ReadFile): object {
	const { action, what, form, label } = step;
	return { action, what, form, label: file.redact(label), changes: shownChanges(step, file) };
}
