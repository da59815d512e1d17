/** The columns that owners write on submissions, each once, from which everything else follows. Pure, for browsers too. */

import { mapNames } from '../text/map-names.ts';

/** Yes or no, with the words for a submission that has it, and for one that has not. */
export const FLAGS = {
	isRead: ['read', 'unread'],
	isStarred: ['starred', 'unstarred'],
	isSpam: ['spam', 'genuine'],
	isArchived: ['archived', 'unarchived'],
} as const;

/** Texts of up to so many characters, or `null`, shown to owners alone. The labels are no text but a list; see `labels.ts`. */
export const TEXTS = {
	note: { max: 4000 },
} as const;

export type FlagName = keyof typeof FLAGS;
export const FLAG_NAMES = Object.keys(FLAGS) as FlagName[];
export type TextName = keyof typeof TEXTS;
export const TEXT_NAMES = Object.keys(TEXTS) as TextName[];
export type OwnedName = FlagName | 'labels' | TextName;
export const OWNED: readonly OwnedName[] = [...FLAG_NAMES, 'labels', ...TEXT_NAMES];

export const mapFlags = <T>(of: (name: FlagName) => T) => mapNames(FLAG_NAMES, of);
export const mapTexts = <T>(of: (name: TextName) => T) => mapNames(TEXT_NAMES, of);

/** The part of a submission that owners write. */
export const ownedOf = <Row extends Partial<Record<OwnedName, unknown>>>(row: Row) =>
	mapNames(OWNED, (name) => row[name]) as Pick<Row, OwnedName>;

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** The column of texts and labels in an export, where fields may well be called as they are: `ownerNote`. */
export const columnOfWords = (name: 'labels' | TextName): string => `owner${capital(name)}`;
