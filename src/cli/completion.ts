/** `formsrv completion`: prints a script by which a shell completes commands, options and their values. */

import { Argument, type Command, type Option } from 'commander';
import type { Cli } from './cli.ts';
import type { CliCommand } from './command.ts';

/** A command as a shell completes it. */
interface Level {
	/** The names that lead to it, each after a space; empty for the program. */
	path: string;
	commands: Command[];
	options: Option[];
	/** The values that its arguments can have. */
	values: readonly string[];
}

const SCRIPTS = { bash, zsh, fish };

export function addCompletion(program: CliCommand, cli: Cli): void {
	const shells = new Argument('<shell>', 'Which shell').choices(Object.keys(SCRIPTS));
	program
		.command('completion')
		.description('Print the script by which a shell completes commands and options.')
		.addArgument(shells)
		.examples(
			'source <(formsrv completion bash)                                       in ~/.bashrc',
			'source <(formsrv completion zsh)                                        in ~/.zshrc, after compinit',
			'formsrv completion fish > ~/.config/fish/completions/formsrv.fish',
		)
		.action((shell: keyof typeof SCRIPTS) => {
			cli.io.stdout.write(SCRIPTS[shell](levelsOf(program)));
		});
}

function levelsOf(command: Command, path = ''): Level[] {
	const help = command.createHelp();
	const level: Level = {
		path,
		commands: help.visibleCommands(command),
		options: help.visibleOptions(command),
		values: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
	};
	return [level, ...command.commands.flatMap((next) => levelsOf(next, `${path} ${next.name()}`))];
}

const namesOf = ({ short, long }: Option) => [short, long].filter((name) => name !== undefined);

/** The options that another word has to follow, which is not taken for a command then. */
function valued(levels: readonly Level[]): string[] {
	return [...new Set(levels.flatMap(({ options }) => options.filter(({ required }) => required).flatMap(namesOf)))];
}

/** The options with a few possible values, each after the path of its command. */
function choices(levels: readonly Level[]): [word: string, values: string][] {
	return levels.flatMap(({ path, options }) =>
		options.flatMap((option) =>
			option.argChoices
				? namesOf(option).map((name): [string, string] => [`${path} ${name}`, `${option.argChoices?.join(' ')}`])
				: [],
		),
	);
}

/** A text for any of the three shells. */
const quote = (text: string) => `'${text.replaceAll("'", '’')}'`;

/** Needs neither the package bash-completion nor a Bash newer than that of macOS. */
function bash(levels: readonly Level[]): string {
	const words = ({ commands, options, values }: Level) =>
		[...commands.map((command) => command.name()), ...values, ...options.map(({ long }) => long)].join(' ');
	return `# Bash completes formsrv after: source <(formsrv completion bash)

_formsrv_at() {
	case $1 in
${levels.map((level) => `\t${quote(level.path)}) words=${quote(words(level))} ;;`).join('\n')}
	*) return 1 ;;
	esac
}

_formsrv() {
	local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} at='' words='' word i
	local valued=${quote(` ${valued(levels).join(' ')} `)}
	# The equals sign of --option=value is a word of its own.
	[[ $current != = ]] || current=''
	[[ $previous != = ]] || previous=\${COMP_WORDS[COMP_CWORD - 2]}
	_formsrv_at ''
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=\${COMP_WORDS[i]}
		if [[ $valued == *" $word "* ]]; then
			((i++))
			[[ \${COMP_WORDS[i]} != = ]] || ((i++))
		elif _formsrv_at "$at $word"; then
			at="$at $word"
		fi
	done
	[[ $valued != *" $previous "* ]] || words=''
	case "$at $previous" in
${choices(levels)
	.map(([word, values]) => `\t${quote(word)}) words=${quote(values)} ;;`)
	.join('\n')}
	esac
	COMPREPLY=()
	while IFS='' read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$words" -- "$current")
}

complete -o default -F _formsrv formsrv
`;
}

function zsh(levels: readonly Level[]): string {
	const described = (name: string | undefined, text: string) => quote(`${name}:${text}`);
	const arm = ({ path, commands, options, values }: Level) => {
		const names = commands.map((command) => described(command.name(), command.description()));
		const flags = options.map(({ long, description }) => described(long, description));
		return `\t${quote(path)}) names=(${names.join(' ')}) values=(${values.map(quote).join(' ')}) flags=(${flags.join(' ')}) ;;`;
	};
	return `#compdef formsrv
# Zsh completes formsrv after: source <(formsrv completion zsh)

_formsrv_at() {
	case $1 in
${levels.map(arm).join('\n')}
	*) return 1 ;;
	esac
}

_formsrv() {
	local previous=\${words[CURRENT-1]} at='' valued=${quote(` ${valued(levels).join(' ')} `)} i
	local -a names values flags
	_formsrv_at ''
	for ((i = 2; i < CURRENT; i++)); do
		if [[ $valued == *" \${words[i]} "* ]]; then
			((i++))
		elif _formsrv_at "$at \${words[i]}"; then
			at="$at \${words[i]}"
		fi
	done
	if [[ $PREFIX == --*=* ]]; then
		previous=\${PREFIX%%=*}
		compset -P '*='
	fi
	case "$at $previous" in
${choices(levels)
	.map(([word, texts]) => `\t${quote(word)}) names=() values=(${texts}) ;;`)
	.join('\n')}
	*) [[ $valued != *" $previous "* ]] || names=() values=() flags=() ;;
	esac
	if [[ $PREFIX == -* ]] && (( $#flags )); then
		_describe -o option flags
	elif (( $#names )); then
		_describe command names
	elif (( $#values )); then
		compadd -a values
	else
		_files
	fi
}

if [[ $funcstack[1] == _formsrv ]]; then _formsrv; else compdef _formsrv formsrv; fi
`;
}

function fish(levels: readonly Level[]): string {
	const words = (texts: readonly string[]) => texts.map(quote).join(' ');
	const lines = ({ path, commands, options, values }: Level) => {
		const start = `complete -c formsrv -n "__formsrv_at ${quote(path)}"`;
		const takes = ({ required, argChoices }: Option) => {
			if (argChoices) return ` -x -a ${quote(argChoices.join(' '))}`;
			return required ? ' -r' : '';
		};
		return [
			...commands.map((command) => `${start} -f -a ${command.name()} -d ${quote(command.description())}`),
			...values.map((value) => `${start} -f -a ${value}`),
			...options.map((option) => {
				const short = option.short ? ` -s ${option.short.slice(1)}` : '';
				return `${start}${short} -l ${option.long?.slice(2)}${takes(option)} -d ${quote(option.description)}`;
			}),
		];
	};
	return `# Fish completes formsrv with this file in ~/.config/fish/completions/.

function __formsrv_at
	set -l at ''
	set -l skips 0
	set -l words (commandline -opc)
	for word in $words[2..]
		if test $skips = 1
			set skips 0
		else if contains -- $word ${words(valued(levels))}
			set skips 1
		else if contains -- "$at $word" ${words(levels.map(({ path }) => path))}
			set at "$at $word"
		end
	end
	test "$at" = "$argv"
end

${levels.flatMap(lines).join('\n')}
`;
}
