/** `formsrv keys`: creates, lists, rotates and revokes API keys. */

import { Option } from 'commander';
import { KEY_FORMS_MAX, OVERLAP_MAX_SECONDS } from '../keys/bounds.ts';
import { memberAddress } from '../keys/member-address.ts';
import type { ApiKey } from '../keys/schema.ts';
import { displayToken, isToken } from '../keys/token.ts';
import { PERMISSIONS, type Permission } from '../storage/tables.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../tasks/durations.ts';
import { LAST_MS, parseTimestamp } from '../text/timestamp.ts';
import { type Api, at } from './api.ts';
import { type Cli, CommandError, type Options } from './cli.ts';
import type { CliCommand } from './command.ts';
import { runOnApi } from './run-on-api.ts';
import { shortTime } from './table.ts';

type NewKey = ApiKey & { key: string | null };

interface CreateOptions extends Options {
	name?: string;
	permissions?: string;
	test?: true;
	form?: string[];
	expires?: string;
	email?: string;
}

const UNIT_MS: Record<string, number> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS, y: 365 * DAY_MS };

const PERMISSIONS_HELP = [
	'\nPermissions (only admin implies the others):',
	'  read    read forms and submissions',
	'  write   create and change forms; mark, label and note submissions',
	'  delete  delete forms and submissions',
	'  submit  submit from a server, whatever the allowed domains and the captcha of the form',
	'  metrics read the metrics of the server',
	'  audit   read the audit log',
	'  admin   all of this, and keys, sessions, webhooks and deliveries',
].join('\n');

export function addKeys(program: CliCommand, cli: Cli): void {
	const keys = program.command('keys').description('Create, list, rotate and revoke API keys.');
	addCreate(keys, cli);
	addList(keys, cli);
	addRotate(keys, cli);
	addRevoke(keys, cli);
}

function addCreate(keys: CliCommand, cli: Cli): void {
	const command = keys
		.command('create')
		.description(
			'Create an API key and print it, once: only its hash is stored. Without options it is a live key that may do everything.',
		)
		.option('--name <text>', 'Its purpose, shown in lists')
		.option(
			'--permissions <list>',
			`Any of ${PERMISSIONS.join(', ')}, separated by commas (default: admin, with --form or --email: read)`,
		)
		.option('--test', 'Create a test key: it sees only test forms, whose mails and webhooks are never sent')
		.addOption(
			new Option(
				'--form <id|slug...>',
				`Create a form-level key, for the submissions of this form only, or of up to ${KEY_FORMS_MAX} if given as often: --permissions read (default), write to mark them, submit`,
			).conflicts(['test']),
		)
		.option('--expires <when>', 'Lifetime such as 90d, 12h or 1y, or a date such as 2027-01-31')
		.option(
			'--email <address>',
			'Make a member in place of a key: a person who signs in to the dashboard as this address, see docs/people.md',
		)
		.addHelpText('after', PERMISSIONS_HELP)
		.examples(
			'KEY=$(formsrv keys create)',
			'formsrv keys create --name "website build" --permissions read --expires 90d',
			'formsrv keys create --test --permissions read,write',
			'formsrv keys create --form contact-k3v9x2qm',
			'formsrv keys create --form contact-k3v9x2qm --form jobs-x7q2m9ab --permissions read,write',
			'formsrv keys create --form contact-k3v9x2qm --permissions submit',
			'formsrv keys create --email ada@example.org --name Ada --permissions read,write',
		);
	runOnApi(command, { cli, create: ({ form }) => form === undefined }, (options: CreateOptions) => {
		const permissions = parsePermissions(options.permissions ?? (options.form || options.email ? 'read' : 'admin'));
		const expiresAt = expiryOf(options.expires);
		return async (api) => {
			const { name, form: forms, test, email } = options;
			const input = { name, permissions, forms, expiresAt, email };
			printNew(cli, options, await api.in(test ? 'test' : undefined).post<NewKey>('/api/keys', input));
		};
	});
}

function printNew(cli: Cli, options: Options, { key: token, ...key }: NewKey): void {
	const scope = `${scopeOf(key)}${key.expiresAt ? `, valid until ${shortTime(key.expiresAt)}` : ''}`;
	if (token === null) {
		cli.printResult(options, key, `${key.email} is a member (${scope}).`);
		return;
	}
	cli.printResult(options, { key: token, ...key }, token);
	cli.note(`Keep this key: it is not shown again. Its id is ${key.id} (${scope}).`);
}

function addList(keys: CliCommand, cli: Cli): void {
	const command = keys
		.command('list')
		.description('List all keys, newest first; of each, only the first and last characters are stored.');
	runOnApi(command, { cli }, (options) => async (api) => {
		const now = Date.now();
		cli.printList(options, await keysOf(api), {
			columns: {
				ID: ({ id }) => id,
				KEY: ({ display }) => display,
				MODE: ({ mode }) => mode,
				STATE: (key) => stateOf(key, now),
				PERMISSIONS: ({ permissions }) => permissions.join(','),
				FORM: ({ forms }) => forms?.join(',') ?? '-',
				CREATED: ({ createdAt }) => shortTime(createdAt),
				'LAST USED': ({ lastUsedAt }) => shortTime(lastUsedAt),
				EXPIRES: ({ expiresAt }) => shortTime(expiresAt),
				NAME: ({ name }) => name,
			},
			none: 'There are no keys yet. Make one: formsrv keys create',
		});
	});
}

function addRotate(keys: CliCommand, cli: Cli): void {
	const command = keys
		.command('rotate')
		.description(
			'Create a key with the same name, rights and lifetime in the place of another, and print it, once. The old one is revoked, at once or after the overlap.',
		)
		.argument('<key>', 'Its id, or how it is shown in the list, such as sk_live_…a1B2')
		.option('--overlap <time>', 'How long the old key stays valid beside the new one, such as 24h or 7d, up to 30d')
		.examples('formsrv keys rotate 1b7k2m9x0a --overlap 24h');
	runOnApi(command, { cli }, (options: Options & { overlap?: string }, name: string) => {
		const overlapSeconds = overlapOf(options.overlap);
		return async (api) => {
			const old = findKey(await keysOf(api), name);
			printNew(cli, options, await api.post<NewKey>(at`/api/keys/${old.id}/rotate`, { overlapSeconds }));
			const end = overlapSeconds === 0 ? 'is revoked' : `stays valid for ${options.overlap} at most`;
			cli.note(`The old key ${old.display} (${old.id}) ${end}.`);
		};
	});
}

/** @throws CommandError */
function overlapOf(text: string | undefined): number {
	const seconds = text === undefined ? 0 : (lifetimeOf(text) ?? Number.NaN) / 1000;
	if (seconds >= 0 && seconds <= OVERLAP_MAX_SECONDS) return seconds;
	throw new CommandError(`--overlap must be a time such as 24h or 7d, 30d at most; not "${text}".`, 2);
}

function addRevoke(keys: CliCommand, cli: Cli): void {
	const command = keys
		.command('revoke')
		.description('Revoke a key for good; a running server rejects it from the next request on.')
		.argument('<key>', 'Its id, or how it is shown in the list, such as sk_live_…a1B2')
		.examples('formsrv keys revoke 1b7k2m9x0a', 'formsrv keys revoke sk_live_...a1B2');
	runOnApi(command, { cli }, (options, name: string) => async (api) => {
		const key = findKey(await keysOf(api), name);
		const { id, display, revokedAt } = key;
		await api.delete(at`/api/keys/${id}`);
		// It may be the key of this call, which can ask for nothing more.
		const revoked = { ...key, revokedAt: revokedAt ?? new Date().toISOString() };
		cli.printResult(options, revoked, `Revoked ${display} (${id}).`);
	});
}

async function keysOf(api: Api): Promise<ApiKey[]> {
	return (await api.get<{ keys: ApiKey[] }>('/api/keys')).keys;
}

/** Also accepts a whole key, because a leaked one may be known only as such. */
function findKey(keys: ApiKey[], name: string): ApiKey {
	const display = isToken(name) ? displayToken(name) : (memberAddress(name) ?? name.replace('...', '…'));
	const named = keys.filter((key) => key.id === name || key.display === display);
	// A member may have been one before.
	const valid = named.filter(({ revokedAt }) => revokedAt === null);
	const found = valid.length === 1 ? valid : named;
	if (found.length === 1 && found[0]) return found[0];
	if (found.length === 0) throw new CommandError(`There is no key "${display}". "formsrv keys list" shows them all.`);
	const ids = found.map(({ id, mode }) => `${id} (${mode})`).join(' or ');
	throw new CommandError(`Several keys look like "${display}": name one by its id, ${ids}.`);
}

function stateOf(key: ApiKey, now: number): string {
	if (key.revokedAt !== null) return 'revoked';
	return key.expiresAt !== null && Date.parse(key.expiresAt) <= now ? 'expired' : 'valid';
}

export function scopeOf(key: ApiKey): string {
	const permissions = key.permissions.join(' + ');
	if (key.forms === null) return `${key.mode}, ${permissions}`;
	return `${permissions}, for the submissions of form ${key.forms.join(', ')}`;
}

export function parsePermissions(list: string): Permission[] {
	return list.split(',').map((entry) => {
		const permission = PERMISSIONS.find((candidate) => candidate === entry.trim());
		if (permission) return permission;
		throw new CommandError(
			`--permissions must be any of ${PERMISSIONS.join(', ')}, separated by commas; not "${entry}".`,
			2,
		);
	});
}

export function expiryOf(text: string | undefined): Date | undefined {
	if (text === undefined) return undefined;
	const expiresAt = parseExpiry(text, Date.now());
	if (expiresAt && expiresAt.getTime() > Date.now()) return expiresAt;
	throw new CommandError(
		`--expires must be a lifetime such as 90d or 12h, or a date to come such as 2027-01-31, up to the year 9999; not "${text}".`,
		2,
	);
}

/** Parses a lifetime from now, such as `90d`, or a date such as `2027-01-31` (UTC); `undefined` if it is neither, or after the year 9999. */
export function parseExpiry(text: string, now: number): Date | undefined {
	const lifetime = lifetimeOf(text);
	const timestamp = parseTimestamp(text);
	const moment = timestamp?.isDateAlone || timestamp?.isZoned ? timestamp.millis : Number.NaN;
	const millis = lifetime === undefined ? moment : now + lifetime;
	return millis <= LAST_MS ? new Date(millis) : undefined;
}

/** In milliseconds, of a text such as `90d`; `undefined` if it is none. */
function lifetimeOf(text: string): number | undefined {
	const [, count, unit = ''] = /^(\d{1,6})([mhdwy])$/.exec(text) ?? [];
	return count === undefined ? undefined : Number(count) * (UNIT_MS[unit] as number);
}
