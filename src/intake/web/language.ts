/** The language of a form's visitor: that of the page, else one of the browser's; the server says which one it speaks. */

import { sentencesOf } from '../../languages/from-folder.ts' with { type: 'macro' };
import { withoutShadows } from './form-members.ts';

type Sentences = [thanks: string, unsent: string, retry: string, dropped: string, goOn: string, unreadable: string];

/** A map, because an object would stand in the script wherever it is used. */
const SENTENCES = new Map(
	Object.entries(
		sentencesOf(
			'scriptThanks',
			'scriptUnsent',
			'scriptRetry',
			'scriptDropped',
			'scriptContinue',
			'scriptUnreadable',
		) as unknown as Record<string, Sentences>,
	),
);
const TAG = /^[a-z]{2,3}(?:-[a-z0-9]{1,8}){0,3}$/i;
/** A longer header would not go to other origins without their leave. */
const TAGS_MAX = 4;

const spoken = new WeakMap<HTMLFormElement, string>();

function tagsOf(form: HTMLFormElement): string[] {
	const page = withoutShadows(form).closest('[lang]')?.getAttribute('lang') ?? '';
	return [page, ...navigator.languages].filter((tag) => TAG.test(tag)).slice(0, TAGS_MAX);
}

/** For the requests about a form. */
export function languageHeader(form: HTMLFormElement): Record<string, string> {
	const tags = tagsOf(form);
	return tags.length > 0 ? { 'Accept-Language': tags.join(', ') } : {};
}

/** Remembers the language of a response. */
export function noteLanguage(form: HTMLFormElement, { headers }: Response): void {
	const language = headers.get('Content-Language');
	if (language !== null) spoken.set(form, language);
}

/** Our own sentences, in the language of the server's, and its code. */
export function sentencesFor(form: HTMLFormElement) {
	const codes = [spoken.get(form) ?? '', ...tagsOf(form).map((tag) => tag.toLowerCase().replace(/-.*/, ''))];
	const language = codes.find((code) => SENTENCES.has(code)) ?? 'en';
	const [thanks, unsent, retry, dropped, goOn, unreadable] = SENTENCES.get(language) as Sentences;
	return { language, thanks, unsent, retry, dropped, goOn, unreadable };
}
