/** The text and HTML parts of a notification, with the submitted fields made safe for a mail. */

import { escapeHtml, type Html, html } from '../../text/html.ts';
import type { Field, NamedText } from '../fields.ts';
import { renderMailPage } from './email-page.ts';

/** Maximum submitted content in a mail, in bytes of HTML; the link leads to the rest. */
const CONTENT_MAX_BYTES = 100_000;
const DIGEST_ENTRIES_MAX = 50;
const SUMMARY_MAX = 140;
const PREVIEW_MAX = 120;
const FILES = 'Attached files';
const DIGEST_REASON =
	'This form reached its hourly mail limit, so this digest covers the remaining submissions. ' +
	'All of them are stored.';
const SPACE = 0x20;
const DELETE = 0x7f;
const CONTROL_PICTURES = 0x2400;

export interface Body {
	text: string;
	html: string;
}

export interface SubmissionBody {
	formName: string;
	heading: string;
	fields: Field[];
	/** A line for each attached file. */
	files: readonly string[];
	receivedAt: Date;
	/** Findings of the spam rules, as a text. */
	spam: string | null;
	url: string;
	settingsUrl: string;
}

export interface DigestBody {
	formName: string;
	heading: string;
	total: number;
	entries: { fields: Field[]; files: readonly string[]; receivedAt: Date; url: string }[];
	/** The list of all submissions. */
	url: string;
}

export function renderSubmissionBody(body: SubmissionBody): Body {
	const { shown, isCut } = cutFields(body.fields);
	const formName = tidyLine(body.formName);
	const heading = tidyLine(body.heading);
	const hint = isCut && 'This mail contains only the beginning. The whole submission is stored: open it with the link.';
	const received = `Received ${formatTime(body.receivedAt)}`;
	const files = body.files.length > 0 && { name: FILES, text: tidy(body.files.join('\n')) };
	const reason = `Sent because this address is set for notifications of the form “${formName}”.`;
	const spam = body.spam !== null && tidyLine(body.spam);
	return {
		text: textPart([
			`${heading}\n${formName}`,
			...shown.map(({ name, text }) => `${name}:\n${text}`),
			hint,
			files && `${files.name}:\n${files.text}`,
			`${received}\nOpen: ${body.url}`,
			`-- \n${spam ? `${spam}\n` : ''}${reason}\nChange it: ${body.settingsUrl}`,
		]),
		html: renderMailPage({
			title: heading,
			preview: summarize(shown, PREVIEW_MAX),
			formName,
			note: received,
			content: html`${table(shown.map(fieldRow))}${hint && html`<p class="hint">${hint}</p>`}${files && table([fieldRow(files)])}`,
			link: { url: body.url, label: 'Open submission' },
			footer: html`${spam && html`${spam}<br>`}${reason} <a class="quiet" href="${body.settingsUrl}">Change it</a>`,
		}),
	};
}

export function renderDigestBody(body: DigestBody): Body {
	const formName = tidyLine(body.formName);
	const entries = body.entries.slice(0, DIGEST_ENTRIES_MAX).map(({ fields, files, receivedAt, url }) => ({
		time: formatTime(receivedAt),
		summary: summarize(beginnings(fields), SUMMARY_MAX) || (fields.some(({ isCut }) => isCut) ? '…' : '(no fields)'),
		files: files.length > 0 && summarize([{ name: FILES, text: tidyLine(files.join(', ')) }], SUMMARY_MAX),
		url,
	}));
	const more = body.total - entries.length;
	const rest = more > 0 && `and ${more.toLocaleString('en')} more`;
	return {
		text: textPart([
			`${body.heading}\n${formName}`,
			...entries.map(({ time, summary, files, url }) => [time, summary, files, url].filter(Boolean).join('\n')),
			rest,
			`Open: ${body.url}`,
			`-- \n${DIGEST_REASON}`,
		]),
		html: renderMailPage({
			title: body.heading,
			preview: entries[0]?.summary ?? '',
			formName,
			note: '',
			content: html`${table(entries.map(digestRow))}${rest && html`<p class="hint">${rest}</p>`}`,
			link: { url: body.url, label: 'Open all submissions' },
			footer: html`${DIGEST_REASON}`,
		}),
	};
}

function table(rows: Html[]): Html {
	return html`<table class="fields" width="100%" cellpadding="0" cellspacing="0" border="0">
${rows}</table>`;
}

function fieldRow({ name, text }: NamedText): Html {
	return html`<tr><th class="name" align="left" valign="top" scope="row" dir="auto">${name}</th><td class="value" valign="top" dir="auto">${text || html`<span class="empty">–</span>`}</td></tr>
`;
}

interface DigestRow {
	time: string;
	summary: string;
	files: string | false;
	url: string;
}

function digestRow({ time, summary, files, url }: DigestRow): Html {
	return html`<tr><td class="value entry" dir="auto"><a class="quiet" href="${url}">${time}</a><br>${summary}${files && html`<br>${files}`}</td></tr>
`;
}

/** As many fields as fit, made safe for a mail; a value that is too long is cut. */
function cutFields(fields: Field[]): { shown: NamedText[]; isCut: boolean } {
	let left = CONTENT_MAX_BYTES;
	const shown: NamedText[] = [];
	for (const field of fields) {
		const name = tidyLine(prefix(field.name, left));
		left -= sizeInMail(name);
		const text = cutToFit(tidy(prefix(field.text, left)), left);
		left -= sizeInMail(text.fitting);
		if (left <= 0 || text.isCut || field.isCut) {
			if (text.fitting !== '') shown.push({ name, text: `${text.fitting} …` });
			return { shown, isCut: true };
		}
		shown.push({ name, text: text.fitting });
	}
	return { shown, isCut: false };
}

/**
 * A prefix long enough to show whether the whole text fits into `bytes` once it is tidied. Tidying shortens only line
 * ends, from two characters to one.
 */
function prefix(text: string, bytes: number): string {
	return text.slice(0, 2 * Math.max(0, bytes) + 2);
}

function cutToFit(text: string, maxBytes: number): { fitting: string; isCut: boolean } {
	if (sizeInMail(text) <= maxBytes) return { fitting: text, isCut: false };
	let used = 0;
	let end = 0;
	for (const character of text) {
		used += sizeInMail(character);
		if (used > maxBytes) break;
		end += character.length;
	}
	return { fitting: text.slice(0, end), isCut: true };
}

function sizeInMail(text: string): number {
	return Buffer.byteLength(escapeHtml(text));
}

/**
 * Makes text safe for a mail: one kind of line end, lone surrogates replaced, and other control characters as
 * Unicode's control pictures, so that no terminal interprets them.
 */
function tidy(text: string): string {
	return text
		.toWellFormed()
		.replace(/\r\n?/g, '\n')
		.replace(/\p{Cc}/gu, visibleControl);
}

function tidyLine(text: string): string {
	return tidy(text).replaceAll('\n', ' ');
}

function visibleControl(control: string): string {
	const code = control.charCodeAt(0);
	if (control === '\n' || control === '\t') return control;
	if (code === DELETE) return '\u2421';
	return code < SPACE ? String.fromCharCode(CONTROL_PICTURES + code) : '\ufffd';
}

/** The beginning of each field for a digest's summary, tidied lazily. */
function* beginnings(fields: readonly NamedText[]): Iterable<NamedText> {
	for (const { name, text } of fields) {
		if (text !== '') yield { name: tidyLine(name), text: tidy(text.slice(0, 4 * SUMMARY_MAX)) };
	}
}

function summarize(fields: Iterable<NamedText>, max: number): string {
	let line = '';
	for (const { name, text } of fields) {
		if (line.length > 4 * max) break;
		if (text === '') continue;
		line = `${line}${line && ' · '}${name}: ${text.slice(0, 2 * max)}`.replace(/\s+/g, ' ');
	}
	const characters = Array.from(line.slice(0, 4 * max));
	return characters.length <= max ? line : `${characters.slice(0, max).join('')}…`;
}

function textPart(blocks: (string | false)[]): string {
	return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

function formatTime(time: Date): string {
	return `${time.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })} UTC`;
}
