/** The languages of visitors and mails, by their codes, and which of them a request asks for. Pure, for browsers too. */

import { languageCodes, languageLabels } from './from-folder.ts' with { type: 'macro' };

export const LANGUAGES: readonly string[] = languageCodes();

/** As people know them. */
export const LANGUAGE_LABELS: Record<string, { label: string }> = languageLabels();

/** The language of a form of which each visitor chooses. */
export const AUTO = 'auto';

const KNOWN: ReadonlySet<string> = new Set(LANGUAGES);
const HEADER_MAX = 500;
const TAGS_MAX = 20;
const TAG = /^\s*([a-z]{2,3})(?:-[a-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/i;

/**
 * The language of an Accept-Language header that comes first for the visitor and has a catalogue; `undefined` for none.
 * Whatever is no language tag is passed over.
 */
export function preferredLanguage(header: string | null): string | undefined {
	if (header === null) return undefined;
	let best: string | undefined;
	let most = 0;
	for (const entry of header.slice(0, HEADER_MAX).split(',', TAGS_MAX)) {
		const [, tag = '', weight = '1'] = TAG.exec(entry) ?? [];
		const language = tag.toLowerCase();
		if (Number(weight) <= most || !KNOWN.has(language)) continue;
		best = language;
		most = Number(weight);
		if (most === 1) break;
	}
	return best;
}

/** The language in which a form speaks to the sender of a request. @param fallback That of the server. */
export function languageFor(
	{ language }: { language: string },
	{ headers, fallback }: { headers: Pick<Headers, 'get'>; fallback: string },
): string {
	return language === AUTO ? (preferredLanguage(headers.get('accept-language')) ?? fallback) : language;
}
