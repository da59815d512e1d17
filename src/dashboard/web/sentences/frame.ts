/** Sentences of the frame around every view: navigation, mode, connection and session. */

import type { Mode } from '../api-types.ts';
import type { Theme } from '../state/theme.ts';

/** The build puts it into the page. */
export const noScript =
	'The dashboard needs JavaScript. Everything it does can also be done with the API and the command line.';
export const skip = 'Skip to content';
export const menu = 'Menu';
export const main = 'Main';
export const allForms = 'All forms';
export const forms = 'Forms';
export const deliveries = 'Deliveries';
export const apiKeys = 'API keys';
export const auditLog = 'Audit log';
export const server = 'Server';
export const needsAttention = '(needs attention)';
export const paused = '(paused)';
export const unread = ' unread';
const themes: Record<Theme, string> = { system: 'system', light: 'light', dark: 'dark' };
export const theme = (current: Theme, next: Theme) => `Theme: ${themes[current]}. Change to ${themes[next]}`;
export const signOut = 'Sign out';

export const mode = 'Mode';
export const modes: Record<Mode, string> = { live: 'Live', test: 'Test' };
export const testModeHint = 'Mails and webhooks are captured, not sent';

export const connectionLost = 'Connection lost. Reconnecting …';
export const connectedAgain = 'Connected again.';
export const viewNotFetched = 'The server does not respond, or has been updated.';

export const unreachable = 'The server cannot be reached.';
export const pageInPlace =
	'Something between this browser and the server responds with a page of its own, perhaps to sign in there. Reload this page.';
export const serverReturned = (status: number) => `The server returned status ${status}.`;

export const notFound = 'Not found';
export const nothingHere = 'There is nothing at this address';
export const nothingHereHint = 'The form may have been deleted, or it belongs to the other mode (live or test).';
export const notForReading = 'Forms are not shown with this key: it may not read them.';
export const titleOf = (title: string, formName: string | undefined) => `${title} ${formName ?? 'form'}`;
export const inboxTab = 'Inbox';
export const connectTab = 'Connect';
export const settingsTab = 'Settings';

export const sessionEnded = 'Your session has ended. Please sign in again.';
export const typedIsKept = ' What you have typed is there again with the same key or as the same person.';
export const signedOut = 'You have signed out.';
export const signIn = 'Sign in';
export const signingIn = 'Signing in…';
export const singleSignOn = 'Sign in with single sign-on';
export const signInAs = (person: string) => `Sign in as ${person}`;
export const orByKey = 'or';
export const signInTo = 'Sign in to formsrv';
export const proof = 'API key or setup link';
export const noProof = 'Paste an API key or a setup link.';
export const whereToGetOne = 'Where do I get one?';
export const getLink =
	'On the machine that runs formsrv, this prints a link that signs you in once; opening it is enough:';
export const getKey = 'The first start of the server also printed one. For a permanent key:';
export const theCommand = 'the command';

export const shortcuts = 'Keyboard shortcuts';
