/** Sentences of the help for the keyboard. */

import type { FlagName } from '../../../storage/owned.ts';
import { FLAG_BUTTONS, FLAG_LOOKS } from '../flags.ts';

/** The effects of the keys of flags. */
const flagKeys: Record<FlagName, string> = {
	isRead: 'Mark read or unread',
	isStarred: 'Star',
	isSpam: 'Spam, or not spam',
	isArchived: 'Archive, or back to the inbox',
};

export const use = 'Use single-key shortcuts';
export const useHint = 'Turn them off if they get in the way of a speech or switch device.';
/** By the names of the bindings. */
export const groups: Record<string, Record<string, string>> = {
	Inbox: {
		j: 'Next submission',
		k: 'Previous submission',
		Enter: 'Open',
		Esc: 'Back to the list',
		x: 'Select',
		'/': 'Search',
	},
	Submission: {
		...Object.fromEntries(FLAG_BUTTONS.map((name) => [FLAG_LOOKS[name].hotkey, flagKeys[name]])),
		'+': 'Genuine: teach it',
		'#': 'Delete',
		z: 'Undo',
	},
	'Go to': {
		'g f': 'Forms',
		'g i': 'Inbox of this form',
		'g d': 'Deliveries',
		'g a': 'Audit log',
		'g k': 'API keys',
		'g s': 'Server',
		'?': 'This help',
	},
};
