/** Pure: what visitors may attach to a submission of a form, and how people write it. For browsers too. */

import { formatSize, parseSize } from './byte-sizes.ts';

export interface FileRules {
	/** In one submission. */
	maxFiles: number;
	/** Of one file. */
	maxBytes: number;
	/** Such as `image/*`, `application/pdf` and `.docx`; any if there are none. */
	types: string[];
}

/** Rules as a client sends them: what is left out takes its default, and a size may be written as `10MiB`. */
export interface FileRulesInput {
	maxFiles?: number;
	maxBytes?: number | string;
	types?: string[];
}

export const DEFAULT_FILE_RULES: FileRules = { maxFiles: 5, maxBytes: 10 * 1024 * 1024, types: [] };

const TYPE =
	/^(?:[a-z0-9][a-z0-9!#$&^_.+-]{0,60}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,90})|\.[a-z0-9][a-z0-9_+-]{0,19})$/;

/** An entry of `types` in lower case; `undefined` if it is none. */
export function checkFileType(text: string): string | undefined {
	const type = text.trim().toLowerCase();
	return TYPE.test(type) ? type : undefined;
}

/** Rules on one line: how many, how large each one, and the types, as in `5, 10MiB, image/*, .pdf`. */
export function formatFileRules({ maxFiles, maxBytes, types }: FileRules): string {
	return [maxFiles, formatSize(maxBytes), ...types].join(', ');
}

/** The line in reverse; whatever is neither a number nor a size is taken for a type, which a check rejects. */
export function parseFileRules(line: string): FileRulesInput {
	const rules: FileRulesInput = {};
	const types: string[] = [];
	for (const entry of line.split(/[\s,]+/).filter(Boolean)) {
		if (rules.maxFiles === undefined && /^\d{1,9}$/.test(entry)) rules.maxFiles = Number(entry);
		else if (rules.maxBytes === undefined && parseSize(entry) !== undefined) rules.maxBytes = entry;
		else types.push(entry);
	}
	return { ...rules, types };
}
