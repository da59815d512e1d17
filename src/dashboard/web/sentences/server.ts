/** Sentences of the server's page: its health, its mail, its files and its settings. */

import type { ComponentChildren } from 'preact';
import { formatCount } from '../../../text/plural.ts';
import { phrase } from './phrase.ts';

export const intro = 'Health, sessions and settings. Settings are changed where the server is started, never here.';

export const health = 'Health';
export const allWell = 'All well';
export const needsAttention = 'Needs attention';
export const clock = 'Clock';
export const clockWasSet = 'Was set';
export const clockMayBeWrong = 'May be wrong';
export const version = 'Version';
export const upFor = (duration: string) => `up for ${duration}`;
export const database = 'Database';
export const freeOnDisk = (size: string) => `${size} free on the disk`;
export const lastBackup = 'Last backup';
export const backupEvery = (duration: string) => `one every ${duration}`;
export const noBackup = 'None yet';
export const deliveriesWaiting = 'Deliveries waiting';
export const failed = (count: number) => `${formatCount(count)} failed`;

export const mail = 'Mail';
export const noMailServer = (url: ComponentChildren, from: ComponentChildren) =>
	phrase`No mail server is set, so no notifications are sent. Set ${url} and ${from}, then restart.`;
export const testModeMail = 'Test mode sends nothing. Switch to live to send a test mail.';
export const mailsComeFrom = (from: (fallback: string) => ComponentChildren) =>
	phrase`Mails come from ${from('the server')}.`;
export const sendTestTo = 'Send a test mail to';
export const addressExample = 'you@example.com';
export const accepted = (reply: string) => `The mail server accepted it (${reply}). Look into the mailbox.`;

export const attachedFiles = 'Attached files';
export const allForms = 'All forms, live and test';
export const sizeOf = (used: string, quota: string) => `${used} of ${quota}`;
export const noFiles = 'Nothing is attached to any form of this mode yet.';

export const settings = 'Settings in force';
export const setting = 'Setting';
export const value = 'Value';
export const from = 'From';
