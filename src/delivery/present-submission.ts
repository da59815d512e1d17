/** Pure: the JSON text of a stored submission, the same in the API and exports, and in webhooks but for what the owner wrote. */

import { presentFile, type ShownFile } from '../files/present-file.ts';
import { encodeId } from '../ids.ts';
import { parseReasons, reasonsOfForm, scoreOf } from '../spam/verdict.ts';
import { columnOfWords, mapFlags, TEXT_NAMES, type TextName, WORD_LISTS, type WordListName } from '../storage/owned.ts';
import type { PageEntry, StoredFile, StoredSubmission } from '../storage/submission.ts';
import type { Timeline } from '../storage/timeline.ts';
import { splitWords } from '../storage/word-lists.ts';

type Shown = Omit<PageEntry, 'data'>;
type ShowFile = (file: StoredFile) => ShownFile;

interface Context {
	timeline: Timeline;
	showFile?: ShowFile | undefined;
}

interface Member {
	name: string;
	/** `undefined`: absent. */
	json(row: Shown, context: Context): string | undefined;
	/** Its column in an export, if it has one: its name, and the text of a cell if that is not the JSON. */
	column?: { name?: string; cell?: (row: Shown, timeline: Timeline) => string };
}

/** Exports have had the first three before the fields from the beginning; the columns of later flags stand behind. */
const { isRead, isStarred, isSpam, ...laterFlags } = mapFlags(
	(name): Member => ({ name, json: (row) => `${row[name]}`, column: {} }),
);
const LATER_FLAGS = Object.values(laterFlags);

/** Every member of a `Submission` beside `id` and `data`, in order: harmless ones, … */
export const STATE: readonly Member[] = [
	{
		name: 'createdAt',
		json: ({ id }, { timeline }) => `"${timeline.isoOf(id)}"`,
		column: { cell: ({ id }, timeline) => timeline.isoOf(id) },
	},
	isRead,
	isStarred,
	isSpam,
	{ name: 'isPending', json: ({ isPending }) => `${isPending}` },
	{
		name: 'confirmedAt',
		json: ({ confirmedAt }) => (confirmedAt === null ? 'null' : `"${new Date(confirmedAt).toISOString()}"`),
		column: { cell: ({ confirmedAt }) => (confirmedAt === null ? '' : new Date(confirmedAt).toISOString()) },
	},
	{
		name: 'spamReason',
		json: ({ isSpam, spamReason }) => (isSpam ? JSON.stringify(spamReason ?? 'marked') : undefined),
	},
];
/** … those that reveal content, … */
const CONTENT: readonly Member[] = [
	{
		name: 'spamScore',
		json: ({ spamReasons }) => (spamReasons ? `${scoreOf(parseReasons(spamReasons))}` : '0'),
		column: {},
	},
	{
		name: 'spamReasons',
		json: ({ spamReasons }) => spamReasons || '[]',
		column: { cell: ({ spamReasons }) => spamReasons ?? '' },
	},
	{ name: 'meta', json: ({ meta }) => `${meta}`, column: { cell: ({ meta }) => meta ?? '' } },
	{
		name: 'files',
		json: ({ files }, { showFile = presentFile }) => (files ? JSON.stringify(files.map(showFile)) : '[]'),
		column: {
			name: 'attachedFiles',
			cell: ({ files = [] }) => (files.length > 0 ? JSON.stringify(files.map(presentFile)) : ''),
		},
	},
	{ name: 'damaged', json: ({ isDamaged }) => (isDamaged ? 'true' : undefined) },
];
/** Words between commas, with a backslash before a comma that is part of one, as in the names of columns. */
const cellOf = (words: string[] | string | null) =>
	Array.isArray(words) ? words.map((word) => word.replace(/[\\,]/g, '\\$&')).join(', ') : (words ?? '');
/** … and what the owner wrote, which stays with owners. */
const ownWords = (
	name: WordListName | TextName,
	wordsOf: (stored: string | null) => string[] | string | null,
): Member => {
	// That of most submissions, made once.
	const none = JSON.stringify(wordsOf(null));
	return {
		name,
		json: ({ [name]: stored }) => (stored === null ? none : JSON.stringify(wordsOf(stored))),
		column: { name: columnOfWords(name), cell: ({ [name]: stored }) => cellOf(wordsOf(stored)) },
	};
};
const OWN_WORDS = [
	...WORD_LISTS.map(({ name }) => ownWords(name, splitWords)),
	...TEXT_NAMES.map((name) => ownWords(name, (text) => text)),
];
const HARMLESS = [...STATE, ...LATER_FLAGS];
const SENT = [...HARMLESS, ...CONTENT];
export const MEMBERS = [...SENT, ...OWN_WORDS];
const [writeHarmless, writeSent, writeAll] = [writerOf(HARMLESS), writerOf(SENT), writerOf(MEMBERS)];
/** Members that need the permission to read. */
export const DISCLOSING = [...CONTENT, ...OWN_WORDS];
/** Members whose columns come behind the fields. */
export const BEHIND_FIELDS = [...CONTENT, ...LATER_FLAGS, ...OWN_WORDS];

/** A submission without what its reasons say of other forms. */
export function ofFormOnly<Row extends Pick<Shown, 'spamReasons'>>(row: Row): Row {
	return { ...row, spamReasons: reasonsOfForm(row.spamReasons) };
}

/** The JSON text of a `Submission`. Stored data is inserted as it is, never parsed. */
export function presentJson(row: StoredSubmission, timeline: Timeline): string {
	return presentWith(row.data, row, timeline);
}

/** As {@link presentJson}, with data from elsewhere. */
export function presentWith(data: string, row: Shown, timeline: Timeline): string {
	const [before, after] = presentAround(row, timeline);
	return before + data + after;
}

/** The text before and after the data of a `Submission`. */
export function presentAround(row: Shown, timeline: Timeline): [before: string, after: string] {
	return [`${presentId(row)}"data":`, `${writeAll(row, { timeline })}}`];
}

/** As {@link presentAround}, for receivers: without what the owner wrote. */
export function presentSent(row: Shown, timeline: Timeline, showFile: ShowFile): [before: string, after: string] {
	return [`${presentId(row)}"data":`, `${writeSent(row, { timeline, showFile })}}`];
}

/** As {@link presentJson}, without what was sent; of the spam reason only the rule. */
export function presentFlagged(row: Shown, timeline: Timeline): string {
	const spamReason = row.spamReason?.replace(/:.*/s, '') ?? null;
	return `${presentId(row)}${writeHarmless({ ...row, spamReason }, { timeline }).slice(1)}}`;
}

function presentId({ id }: Shown): string {
	return `{"id":"${encodeId(id)}",`;
}

/** Compiled from the list, because a page has many: a loop over members costs half as much again. */
function writerOf(members: readonly Member[]): (row: Shown, context: Context) => string {
	const steps = members.map(
		({ name }, i) => `value = json${i}(row, context); if (value !== undefined) text += ',"${name}":' + value;`,
	);
	const body = `return (row, context) => { let text = ''; let value; ${steps.join(' ')} return text; };`;
	return new Function(...members.map((_, i) => `json${i}`), body)(...members.map(({ json }) => json));
}
