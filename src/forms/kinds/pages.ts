/** The kind of the setting of the pages that visitors see; `null` stands for ours. On the command line it is JSON. */

import {
	CONTRAST_MIN,
	contrastOnLight,
	NO_THANKS,
	type PageSettings,
	type PageSettingsInput,
	THANKS_MAX,
	type ThanksTexts,
} from '../../form-values/page-settings.ts';
import { characterCount } from '../../text/character-count.ts';
import { parseRedirectUrl } from '../redirect-url.ts';
import { partialObject, withoutNulls } from './partial.ts';
import { type Check, type Fault, faultOf, type OfKind, type Types, type Words } from './setting.ts';

export type Pages = OfKind<'pages', PageSettings | null, PageSettingsInput>;

const PARTS = Object.keys(NO_THANKS) as (keyof ThanksTexts)[];
const COLOUR = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i;
const CONTROLS = { line: /\p{Cc}/u, lines: /[^\P{Cc}\n]/u };

export function pages(words: Words<PageSettings | null>): Pages {
	const { description } = words;
	return {
		...words,
		kind: 'pages',
		blank: null,
		schema({ Type, nullable }) {
			const text = nullable(Type.String());
			const thanks = Type.Object(Object.fromEntries(PARTS.map((part) => [part, text])));
			return Type.Object({ thanks: nullable(thanks), accent: text }, { description });
		},
		inputSchema: (types) =>
			partialObject(types, { thanks: thanksInput(types), accent: types.Type.String() }, description),
		check: checkPages,
		format: JSON.stringify,
		parse: JSON.parse,
		isJson: true,
	};
}

function thanksInput(types: Types) {
	const members = Object.fromEntries(PARTS.map((part) => [part, types.Type.String()]));
	return partialObject(
		types,
		members,
		'In place of the texts of the thank-you page, and a link in place of the way back.',
	);
}

/** Settings that change nothing become `null`. */
function checkPages(sent: PageSettingsInput, check: Check): PageSettings | null | undefined {
	const fault = faultOf(check, 'INVALID_PAGES');
	const thanks = checkThanks({ ...NO_THANKS, ...withoutNulls(sent.thanks ?? {}) }, fault);
	const accent = sent.accent ? checkAccent(sent.accent.trim(), fault) : null;
	if (accent === undefined || thanks === undefined) return undefined;
	const isOurs = PARTS.every((part) => thanks[part] === null);
	return isOurs && accent === null ? null : { thanks: isOurs ? null : thanks, accent };
}

function checkThanks(sent: ThanksTexts, fault: Fault): ThanksTexts | undefined {
	const checked = PARTS.map((part) => {
		const text = sent[part]?.replaceAll('\r\n', '\n').trim() || null;
		if (text === null) return [part, null];
		const controls = part === 'text' ? CONTROLS.lines : CONTROLS.line;
		const max = THANKS_MAX[part];
		if (characterCount(text) > max || controls.test(text)) {
			return fault(
				`thanks.${part}`,
				`must be a text of at most ${max} characters${part === 'text' ? '' : ', on one line'}`,
			);
		}
		if (part === 'linkUrl' && !parseRedirectUrl(text)) {
			return fault('thanks.linkUrl', 'must be an absolute http or https address, without user name');
		}
		if (part === 'linkLabel' && !sent.linkUrl?.trim())
			return fault('thanks.linkUrl', 'must be set where thanks.linkLabel is');
		return [part, text];
	});
	if (checked.includes(undefined)) return undefined;
	return { ...NO_THANKS, ...Object.fromEntries(checked as [string, string | null][]) };
}

function checkAccent(text: string, fault: Fault): string | undefined {
	if (!COLOUR.test(text)) return fault('accent', 'must be a colour such as #1d6b57');
	const colour = text.length === 4 ? text.replace(/[^#]/g, '$&$&') : text;
	const contrast = Math.floor(contrastOnLight(colour) * 100) / 100;
	if (contrast >= CONTRAST_MIN) return colour.toLowerCase();
	return fault(
		'accent',
		`must be darker: its contrast with the page is ${contrast} to 1, and text needs ${CONTRAST_MIN} to 1`,
	);
}
