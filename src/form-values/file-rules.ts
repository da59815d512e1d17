/** Pure: what visitors may attach to a submission of a form, and how people write it. For browsers too. */

import { formatSize, parseSize } from '../text/byte-sizes.ts';

export interface FileRules {
	/** In one submission. */
	maxFiles: number;
	/** Limit of one file. */
	maxBytes: number;
	/** Such as `image/*`, `application/pdf` and `.docx`; any if there are none. */
	types: string[];
	/** Absent: `refuse`. */
	onRefused?: OnRefused;
}

/** The treatment of a submission with a file that is not accepted, in the words of the dashboard. */
export const ON_REFUSED = {
	refuse: { label: 'Reject the submission' },
	drop: { label: 'Store the submission without the file' },
} as const;
export type OnRefused = keyof typeof ON_REFUSED;
export const ON_REFUSED_NAMES = Object.keys(ON_REFUSED) as [OnRefused, ...OnRefused[]];

/** Rules as a client sends them: what is left out or `null` takes its default, and a size may be written as `10MiB`. */
export interface FileRulesInput {
	maxFiles?: number | null;
	maxBytes?: number | string | null;
	types?: string[] | null;
	onRefused?: OnRefused | null;
}

export const DEFAULT_FILE_RULES: FileRules = { maxFiles: 5, maxBytes: 10 * 1024 * 1024, types: [] };

const TYPE =
	/^(?:[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,90})|\.[a-z0-9][a-z0-9_+-]{0,19})$/;

/** An entry of `types` in lower case; `undefined` if it is none. */
export function checkFileType(text: string): string | undefined {
	const type = text.trim().toLowerCase();
	return TYPE.test(type) ? type : undefined;
}

/** Rules on one line: how many, how large each one, the types, and `drop` if that is so, as in `5, 10MiB, image/*, .pdf, drop`. */
export function formatFileRules({ maxFiles, maxBytes, types, onRefused }: FileRules): string {
	return [maxFiles, formatSize(maxBytes), ...types, ...(onRefused === 'drop' ? [onRefused] : [])].join(', ');
}

/** The line in reverse; whatever is none of these, or is given twice, is taken for a type, which a check rejects. */
export function parseFileRules(line: string): FileRulesInput {
	const rules: FileRulesInput = {};
	const types: string[] = [];
	for (const entry of line.split(/[\s,]+/).filter(Boolean)) {
		if (rules.maxFiles === undefined && /^\d{1,9}$/.test(entry)) rules.maxFiles = Number(entry);
		else if (rules.maxBytes === undefined && parseSize(entry) !== undefined) rules.maxBytes = entry;
		else if (rules.onRefused === undefined && Object.hasOwn(ON_REFUSED, entry)) rules.onRefused = entry as OnRefused;
		else types.push(entry);
	}
	return { ...rules, types };
}
