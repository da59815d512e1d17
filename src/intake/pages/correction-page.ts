/** The page for a submission that broke field rules: what is wrong, and for a visitor without script a form to correct just that. */

import { dateOrder, FIELD_TYPES, type FieldRule, isLong, labelOf, numberOf } from '../../field-rules/rules.ts';
import { CAPTCHA_NAMES, CAPTCHAS } from '../../form-values/captchas.ts';
import type { Translation } from '../../languages/translation.ts';
import { exactText, parseExact } from '../../text/exact-json.ts';
import { type Html, html } from '../../text/html.ts';
import type { Content } from '../body/content.ts';
import { type Page, renderPage } from './page-frame.ts';
import { backLink, type RejectedPage, type SpokenError } from './pages.ts';

interface Correction extends Omit<RejectedPage, 'status' | 'code' | 'isOwners'> {
	content: Content;
	rules: readonly FieldRule[];
	/** Where its `_next` leads from the page that it came from. */
	next: string | undefined;
	/** The page that it came from, if the form keeps that. */
	page?: string | undefined;
}

type Fields = SpokenError['fields'];

type Value = readonly string[];

/** Limit of the values that are sent back to be sent again. */
const MAX_CHARACTERS = 64 * 1024;

export function correctionPage(translation: Translation, correction: Correction): Page {
	const { content, fields, message, requestId, backUrl, accent } = correction;
	const { say } = translation;
	const again = isCorrectable(content, fields) && formOf(translation, correction);
	const body = again
		? html`<p class="lead">${message}</p>
<p>${say('correctHere')}</p>
${again}`
		: html`<p class="lead">${message}</p>
${fields.length > 1 && html`<ul>${fields.map((field) => html`<li>${field.message}</li>`)}</ul>\n`}<p>${say('correctThere')}</p>
<p class="soft">${say('backKeeps')}</p>
${backLink(translation, backUrl)}`;
	return renderPage({
		translation,
		status: 400,
		title: say('correctTitle'),
		mark: 'rejected',
		accent,
		body,
		footer: `400 VALIDATION_ERROR · ${say('request', { id: requestId })}`,
		// Browsers hold every redirect against it, also those of the site that the visitor goes to in the end.
		formAction: again ? 'http: https:' : undefined,
		isFramable: true,
	});
}

/** Files cannot be sent back, and a page cannot hold NUL. */
function isCorrectable({ data, files }: Content, fields: Fields): boolean {
	if (files || data.length > MAX_CHARACTERS || data.includes('\\u0000')) return false;
	return fields.every(({ code }) => code !== 'UNKNOWN_FIELD' && code !== 'INVALID_TYPE');
}

function formOf({ say }: Translation, { content, rules, fields, ...from }: Correction): Html {
	const values = Object.entries(parseExact(content.data) as Record<string, unknown>);
	const sent = (name: string): Value => textsOf(values.find(([known]) => known === name)?.[1]);
	const faults = new Map(fields.map((field) => [field.field, field.message]));
	const kept = values.filter(([name]) => !faults.has(name));
	// One that is stored too, such as `_replyto` with the aliases of some services, is among the values.
	const special = specialValues(content, from).filter(([name]) => !values.some(([known]) => known === name));
	const hidden = [...kept.map(([name, value]) => [name, textsOf(value)] as const), ...special];
	const inputs = rules
		.filter(({ name }) => faults.has(name))
		.map((rule, i) =>
			inputOf(rule, { value: sent(rule.name), message: faults.get(rule.name) ?? '', id: `field-${i}` }),
		);
	// Without this encoding a file input would send a name.
	return html`<form method="post" enctype="multipart/form-data">
${hidden.map(([name, value]) => value.map((text) => html`<input type="hidden" name="${name}" value="${text}">\n`))}${inputs}<button>${say('sendAgain')}</button>
</form>`;
}

/** The special fields, as they were understood. */
function specialValues(
	{ special }: Content,
	{ next, page }: Pick<Correction, 'next' | 'page'>,
): (readonly [string, Value])[] {
	const tokens = CAPTCHA_NAMES.map((name) => [CAPTCHAS[name].field, special.captchaTokens[name]] as const);
	const sent = [
		// From here a relative one would lead elsewhere.
		['_next', next],
		['_formsrv_page', page],
		['_subject', special.subject],
		['_replyto', special.replyTo],
		...tokens,
	] as const;
	return sent.flatMap(([name, text]) => (text === undefined ? [] : [[name, [text]] as const]));
}

function textsOf(value: unknown): Value {
	if (Array.isArray(value)) return value.map(exactText);
	return value === undefined || value === null ? [] : [exactText(value)];
}

interface Fault {
	value: Value;
	message: string;
	id: string;
}

function inputOf(rule: FieldRule, { value, message, id }: Fault): Html {
	const { name, type, options, required } = rule;
	const label = html`<bdi>${labelOf(rule)}</bdi>`;
	const error = html`<p class="error" id="${id}-error">${message}</p>`;
	if (type === 'checkbox') {
		const boxes = (options ?? [value[0] ?? 'on']).map((option) => {
			const isTicked = value.includes(option);
			return html`<label><input type="checkbox" name="${name}" value="${option}"${isTicked && html` checked`}> ${options ? html`<bdi>${option}</bdi>` : label}</label>\n`;
		});
		return html`<fieldset aria-describedby="${id}-error"><legend>${label}</legend>${error}${boxes}</fieldset>\n`;
	}
	// A page can have several inputs of one name.
	const texts = value.length === 0 || type === 'select' ? [value[0] ?? ''] : value;
	const controls = texts.map((text, i) => {
		const attributes = html`id="${id}-${i}" name="${name}" aria-invalid="true" aria-describedby="${id}-error"${required && html` required`}`;
		return html`<label for="${id}-${i}">${label}</label>
${controlOf(rule, { text, attributes })}
`;
	});
	return html`${controls}${error}`;
}

function controlOf(rule: FieldRule, { text, attributes }: { text: string; attributes: Html }): Html {
	const { type, options } = rule;
	if (type === 'select' && options) {
		const choices = ['', ...options].map(
			(option) => html`<option value="${option}"${option === text && html` selected`}>${option}</option>`,
		);
		return html`<select ${attributes}>${choices}</select>`;
	}
	// The parser takes the first line break away.
	if (isLong(rule) || text.includes('\n')) {
		return html`<textarea ${attributes} dir="auto" rows="5"${boundsOf(rule)}>\n${text}</textarea>`;
	}
	const shown = type === 'select' || isHidden(type, text) ? 'text' : type;
	const bounds = isHidden(type, text) ? type === 'number' && html` inputmode="decimal"` : boundsOf(rule);
	return html`<input type="${shown}" ${attributes} dir="auto"${bounds}${type !== 'file' && html` value="${text}"`}>`;
}

/** A browser shows nothing of a text that is no number or date in an input for one. */
function isHidden(type: FieldRule['type'], text: string): boolean {
	return text !== '' && ((type === 'number' && numberOf(text) === undefined) || (type === 'date' && !dateOrder(text)));
}

function boundsOf(rule: FieldRule): Html[] {
	const members = FIELD_TYPES[rule.type].members.filter((member) => member !== 'options' && rule[member] !== undefined);
	const bounds = members.map((member) => html` ${member.toLowerCase()}="${rule[member] as string | number}"`);
	return rule.type === 'number' ? [...bounds, html` step="any"`] : bounds;
}
