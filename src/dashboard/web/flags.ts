/** How the flags that owners set look and behave in the inbox; their words stand in `sentences/inbox.ts`. */

import type { FlagName } from '../../storage/owned.ts';
import type { IconName } from './components/icon.tsx';

interface FlagLook {
	/** The key that sets it, or takes it away. */
	hotkey: string;
	/** The icon of the button that sets it, and of the one that takes it away. */
	icons: readonly [set: IconName, unset: IconName];
	/** A submission leaves the list by it. */
	movesAway?: true;
	/** Spam is shown whole, with it or without: it would stay where it is. */
	isNotOfSpam?: true;
	/** An open submission shows by a filled icon that it has it. */
	tone?: 'star';
}

export const FLAG_LOOKS: Readonly<Record<FlagName, FlagLook>> = {
	isStarred: { hotkey: 's', icons: ['star', 'star'], tone: 'star' },
	isRead: { hotkey: 'e', icons: ['read', 'mail'] },
	isArchived: { hotkey: 'a', icons: ['archive', 'inbox'], movesAway: true, isNotOfSpam: true },
	isSpam: { hotkey: '!', icons: ['ban', 'inbox'], movesAway: true },
};
/** In the order of their buttons. */
export const FLAG_BUTTONS = Object.keys(FLAG_LOOKS) as FlagName[];
