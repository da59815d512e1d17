/** `formsrv dashboard-link`: creates a link that signs in to the dashboard: the operator with all rights, or a colleague with some. */

import { publicUrls } from '../config.ts';
import { INVITATION_DAYS } from '../dashboard/sessions/links.ts';
import { KEY_FORMS_MAX } from '../keys/bounds.ts';
import { type Cli, CommandError, type Options, withSettings } from './cli.ts';
import type { CliCommand } from './command.ts';
import { shortTime } from './table.ts';

interface LinkOptions extends Options {
	revokeOthers?: true;
	form?: string;
	permissions?: string;
	name?: string;
	expires?: string;
}

const SETTINGS = ['dataDir', 'databaseUrl', 'baseUrl', 'host', 'port'] as const;

export function addDashboardLink(program: CliCommand, cli: Cli): void {
	const command = program
		.command('dashboard-link')
		.summary('Print a link that signs you, or a colleague, in to the dashboard.')
		.description(
			'Print a link that signs in to the dashboard once. Without --form it is for you: within the next hour, with all rights. ' +
				`With --form it invites a colleague: within the next ${INVITATION_DAYS} days, with a new key for these forms. The server does not ` +
				'have to run yet.',
		)
		.option('--revoke-others', 'End all sessions first, and revoke unused links')
		.option(
			'--form <list>',
			`Invite a colleague to these forms, by ids or slugs, separated by commas; up to ${KEY_FORMS_MAX}`,
		)
		.option('--permissions <list>', 'What the colleague may do: read, write, submit (default: read)')
		.option('--name <text>', 'Who the colleague is, for the audit log and the list of sessions; needed with --form')
		.option('--expires <when>', 'When the invitation and its key end, such as 90d or 2027-01-31')
		.examples(
			'formsrv dashboard-link',
			'formsrv dashboard-link --revoke-others',
			'formsrv dashboard-link --form contact,jobs --permissions read,write --name "Front desk" --expires 90d',
			'xdg-open "$(formsrv dashboard-link)"',
		);
	withSettings(command, SETTINGS).action(async (options: LinkOptions) => {
		const invitation = await invitationOf(options);
		return cli.withApp(options, {
			create: !invitation,
			action: invitation ? 'createKey' : 'createSetupLink',
			use: async (app) => {
				const linkTo = (token: string) => setupLink(publicUrls(app.config).base, token);
				if (options.revokeOthers) cli.note(endedSentence(await app.sessions.endOthers()));
				if (!invitation) {
					cli.print(linkTo(await app.sessions.createLink()));
					cli.note('It works once, within the next hour.');
					return;
				}
				const { key, token } = await app.keys.create(invitation);
				cli.print(linkTo(await app.sessions.invite(key.id)));
				const { scopeOf } = await import('./keys.ts');
				const until = key.expiresAt ? `, valid until ${shortTime(key.expiresAt)}` : '';
				cli.note(`It works once, within the next ${INVITATION_DAYS} days, for ${key.name} (${scopeOf(key)}${until}).`);
				cli.note(`To sign in again later takes this key, which is not shown again: ${token}`);
			},
		});
	});
}

/** The key of an invitation; `undefined` if none is wanted. The code for keys is loaded for it alone, because the server uses this file too. @throws CommandError */
async function invitationOf(options: LinkOptions) {
	const { form, permissions = 'read', name, expires } = options;
	if (form === undefined) {
		const lone = ['permissions', 'name', 'expires'].find((option) => options[option] !== undefined);
		if (lone !== undefined) throw new CommandError(`--${lone} goes with --form: a link without it has all rights.`, 2);
		return undefined;
	}
	if (!name?.trim()) throw new CommandError('--form needs --name: who is invited, as the audit log is to say.', 2);
	const { expiryOf, parsePermissions } = await import('./keys.ts');
	return {
		mode: 'live' as const,
		name,
		permissions: parsePermissions(permissions),
		forms: form.split(',').map((one) => one.trim()),
		expiresAt: expiryOf(expires),
	};
}

export function endedSentence(count: number): string {
	return count === 1 ? 'Ended one session.' : `Ended ${count} sessions.`;
}

export function setupLink(baseUrl: string, token: string): string {
	return `${baseUrl}/#/setup/${token}`;
}
