/** The places where an operator writes settings: flags, the environment, `formsrv.toml`, and files that hold one value. */

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseToml } from '../text/parsed-toml.ts';
import { systemReason } from '../text/system-reason.ts';
import { FILE_MAX, readBoundedText } from './bounded-file.ts';

/** `flags` are keyed by setting (`submitPort`), besides `config`, the path of a settings file. */
export interface ProvidedInput {
	env: Record<string, string | undefined>;
	flags: Record<string, unknown>;
	cwd: string;
	/** True if a running server has read them before. */
	isAgain?: boolean;
}

/** A setting's text as the operator wrote it; `label` names where, such as `--port`. */
export interface Provided {
	label: string;
	text: string;
}

/** A place where settings are written by name, and the spelling of names there. */
interface NamedSource {
	entries: [name: string, text: string][];
	spell(key: string): string;
	/** The suffix of a setting's name whose value is the path of a file with the real one. */
	fileSuffix: string;
	label(name: string): string;
}

const PREFIX = 'FORMSRV_';
const CONFIG_FILE = 'formsrv.toml';
/** Names the key of commands with `--server`. */
export const KEY_FILE = 'FORMSRV_KEY_FILE';

const ADDRESS = /^[\d.]+$|^\[?[\da-f:.]*:[\da-f:.]*\]?$/i;
const PORT_NUMBER = /^\d+$/;
const LINK = /^(tcp|udp|sctp):\/\//;
const PROTOCOL = /^(tcp|udp|sctp)$/;

/**
 * The variables that Kubernetes sets in every container for each Service whose name begins with `formsrv`: suffixes and
 * values. They are no settings.
 */
const SERVICE_LINKS: [name: RegExp, text: RegExp][] = [
	[/_SERVICE_HOST$/, ADDRESS],
	[/_SERVICE_PORT(_\w+)?$/, PORT_NUMBER],
	[/_PORT(_\d+_(TCP|UDP|SCTP))?$/, LINK],
	[/_PORT_\d+_(TCP|UDP|SCTP)_PROTO$/, PROTOCOL],
	[/_PORT_\d+_(TCP|UDP|SCTP)_PORT$/, PORT_NUMBER],
	[/_PORT_\d+_(TCP|UDP|SCTP)_ADDR$/, ADDRESS],
];

/**
 * All settings that the operator provided, by key: a flag wins over the environment, the environment over the file.
 * Problems are added to `problems`, as sentences.
 */
export function collectProvided<Key extends string>(
	keys: readonly Key[],
	input: ProvidedInput,
	problems: string[],
): Map<Key, Provided> {
	return new Map([
		...resolveNamed(keys, tomlSource(input, problems), input, problems),
		...resolveNamed(keys, envSource(input), input, problems),
		...flagEntries(keys, input.flags),
	]);
}

/** `submitPort` → `FORMSRV_SUBMIT_PORT` */
export function envName(key: string): string {
	return PREFIX + snake(key).toUpperCase();
}

/** `submitPort` → `--submit-port` */
export function flagName(key: string): string {
	return `--${snake(key).replaceAll('_', '-')}`;
}

/** Quotes an operator's text for a message: short, without control characters; credentials in an address are masked. */
export function quote(text: string): string {
	const masked = text.replace(/:\/\/[^/?#]*@/g, '://***@');
	return JSON.stringify(masked.length > 80 ? `${masked.slice(0, 80)}…` : masked);
}

function snake(key: string): string {
	return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function flagEntries<Key extends string>(keys: readonly Key[], flags: Record<string, unknown>): [Key, Provided][] {
	return keys
		.filter((key) => flags[key] !== undefined)
		.map((key) => [key, { label: flagName(key), text: String(flags[key]) }]);
}

/** An empty variable counts as absent, because compose files pass unset variables as empty. */
function envSource({ env }: ProvidedInput): NamedSource {
	const entries = Object.entries(env)
		.map(([name, text]): [string, string] => [name, text ?? ''])
		.filter(([name, text]) => name.startsWith(PREFIX) && text !== '' && !isServiceLink(name, text))
		.filter(([name]) => name !== KEY_FILE);
	return { entries, spell: envName, fileSuffix: '_FILE', label: (name) => name };
}

function isServiceLink(name: string, text: string): boolean {
	return SERVICE_LINKS.some(([names, texts]) => names.test(name) && texts.test(text));
}

/** A file named by `--config` must exist; the one in the working directory is optional. */
function tomlSource({ flags, cwd, isAgain }: ProvidedInput, problems: string[]): NamedSource {
	const file = resolve(cwd, typeof flags.config === 'string' ? flags.config : CONFIG_FILE);
	const label = (name: string) => `${/^[\w-]{1,80}$/.test(name) ? name : quote(name)} in ${file}`;
	const entries: [string, string][] = [];
	try {
		for (const [name, value] of Object.entries(parseToml(readText(file, isAgain)))) {
			const text = tomlText(value);
			if (text === undefined) problems.push(`${label(name)} must be a text, a number, true, false or a list of texts.`);
			else entries.push([name, text]);
		}
	} catch (error) {
		const { code } = error as { code?: unknown };
		const isNamed = flags.config !== undefined;
		const way =
			code === 'EACCES' && !isNamed ? ' Run this in another folder, or name a settings file with --config.' : '';
		if (code !== 'ENOENT' || isNamed) problems.push(`${file} cannot be used: ${reason(error)}.${way}`);
	}
	return { entries, spell: snake, fileSuffix: '_file', label };
}

function tomlText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	const isList = Array.isArray(value) && value.every((entry) => typeof entry === 'string');
	return isList ? value.join(',') : undefined;
}

function resolveNamed<Key extends string>(
	keys: readonly Key[],
	source: NamedSource,
	{ cwd, isAgain }: ProvidedInput,
	problems: string[],
): [Key, Provided][] {
	const { entries, spell, label, fileSuffix } = source;
	if (entries.length === 0) return [];
	const texts = new Map(entries);
	const keyOf = new Map(keys.map((key) => [spell(key), key]));
	const found: [Key, Provided][] = [];
	for (const [name, text] of texts) {
		const fileKey = name.endsWith(fileSuffix) ? keyOf.get(name.slice(0, -fileSuffix.length)) : undefined;
		const key = keyOf.get(name) ?? fileKey;
		if (key === undefined) {
			const names = [...keyOf.keys()];
			const near = nearest(name, [...names, ...names.map((one) => one + fileSuffix)]);
			problems.push(`${label(name)} is not a setting${near ? `; did you mean ${near}?` : '.'}`);
		} else if (fileKey === undefined) {
			found.push([key, { label: label(name), text }]);
		} else if (texts.has(spell(key))) {
			problems.push(`${label(name)} and ${spell(key)} are both set; remove one of them.`);
		} else {
			const content = readValueFile({ file: resolve(cwd, text), label: label(name), isAgain }, problems);
			if (content !== undefined) found.push([key, { label: label(name), text: content }]);
		}
	}
	return found;
}

/** A file's text without the line break at its end. */
function readValueFile(
	{ file, label, isAgain }: { file: string; label: string; isAgain: boolean | undefined },
	problems: string[],
): string | undefined {
	try {
		const text = readText(file, isAgain).replace(/[\r\n]+$/, '');
		if (text !== '') return text;
		problems.push(`${label} names ${quote(file)}, which is empty.`);
	} catch (error) {
		problems.push(`${label} names ${quote(file)}, which cannot be read: ${reason(error)}.`);
	}
	return undefined;
}

function readText(file: string, isAgain = false): string {
	// It has nothing more to read, or a server would wait for who writes to it.
	if (isAgain && statSync(file).isFIFO()) throw new Error('it is a pipe, which can be read only once');
	return readBoundedText(file, FILE_MAX.settings);
}

/** Why a file cannot be used. */
const reason = (error: unknown) => (error instanceof Error ? systemReason(error) : String(error));

/** The candidate nearest to a mistyped name, or to one in the spelling of another place, if it is near enough. */
function nearest(name: string, candidates: string[]): string | undefined {
	const word = bare(name);
	const [best] = candidates
		.map((candidate) => ({ candidate, distance: editDistance(word, bare(candidate)) }))
		.sort((a, b) => a.distance - b.distance);
	return best && best.distance <= Math.max(2, word.length / 4) ? best.candidate : undefined;
}

/** `FORMSRV_SUBMIT_PORT` and `submit-port` → `submit_port` */
const bare = (name: string) => name.replace(PREFIX, '').toLowerCase().replaceAll('-', '_');

/** Insertions, deletions and substitutions between two words (Levenshtein). */
function editDistance(a: string, b: string): number {
	let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
	for (let row = 1; row <= a.length; row++) {
		const current = [row];
		for (let column = 1; column <= b.length; column++) {
			const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
			current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
		}
		previous = current;
	}
	return previous[b.length] ?? 0;
}
