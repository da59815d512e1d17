/** Sentences of API keys and of sessions. */

import type { ComponentChildren } from 'preact';
import { plural } from '../../../text/plural.ts';
import type { Mode, Permission } from '../api-types.ts';
import { phrase } from './phrase.ts';

export const intro = (mode: Mode | undefined) =>
	`Programs use the API with a key. A ${mode} key sees the ${mode} forms only.`;
export const noKeys = 'No keys yet';
export const noKeysHint = 'Create one for each program that uses the API, with only the permissions that it needs.';

export const key = 'Key';
export const unnamed = 'Unnamed';
export const may = 'May';
export const everything = 'Everything';
export const onlyForms = (permissions: string, names: string[]) =>
	`${permissions}: ${names.map((name) => `“${name}”`).join(', ')} only`;
export const expired = 'Expired';
export const revoked = 'Revoked';
export const until = (day: string) => ` until ${day}`;
export const lastUsed = 'Last used';
export const neverUsed = 'Never used';
export const actions = 'Actions';

export const revoke = 'Revoke';
export const revokeOf = (name: string) => `Revoke ${name}`;
export const revokeQuestion = 'Revoke this key?';
export const revokeWarning = (name: ComponentChildren, display: ComponentChildren) =>
	phrase`${name} ${display} stops working at once, and so do dashboard sessions opened with it.`;
export const isRevoked = 'The key no longer works.';

export const newKey = 'New key';
export const newKeyOf = (mode: Mode | undefined) => `New ${mode} key`;
export const nameExample = 'Website build';
export const nameHint = 'A reminder of what the key is for.';
export const memberEmail = 'Mail address of a member';
export const memberEmailHint =
	'Empty for a program. With an address it is a person, who signs in by single sign-on and gets no key.';
export const memberMade = (email: string) => `${email} can sign in now.`;
export const forForm = 'For';
export const allForms = 'All forms of this mode';
export const onlyForm = (formName: string) => `Only the submissions of “${formName}”`;
export const andFor = 'And for';
export const itMay = 'It may';
export const permissions: Record<Permission, string> = {
	read: 'read forms and submissions',
	write: 'create and change forms, flag submissions',
	delete: 'delete forms and submissions',
	submit: 'submit from a server, past allowed domains and captcha',
	metrics: 'read the metrics of the server, for monitoring',
	audit: 'read the audit log',
	admin: 'everything, keys and webhooks included',
};
export const writeOfForm = 'flag submissions';
export const expires = 'Expires';
export const never = 'Never';
export const inDays = (days: number) => `In ${plural(days, 'day')}`;
export const inOneYear = 'In a year';
export const create = 'Create key';
export const yourKey = 'Your new key';
export const theKey = 'the key';
export const shownOnce = 'Copy it now: only its hash is stored, so it can never be shown again.';

export const signedIn = 'Signed in';
export const sessions = 'Sessions';
export const openedWith = 'Opened with';
export const unnamedKey = 'Unnamed key';
export const setupLink = 'Setup link';
export const lastSeen = 'Last seen';
export const thisOne = 'This one';
export const end = 'End';
export const endOf = (session: string) => `End the session of ${session}`;
export const sessionEnded = 'The session has ended.';
export const endOthers = 'End all others…';
export const endOthersQuestion = 'End all other sessions?';
export const endOthersVerb = 'End them';
export const endOthersWarning = (count: number, strong: (text: string) => ComponentChildren) =>
	phrase`${strong(plural(count, 'session'))} must sign in again; unused setup links and invitations stop working. Keys stay as they are.`;
export const othersEnded = (count: number) => `${plural(count, 'session')} ended.`;
