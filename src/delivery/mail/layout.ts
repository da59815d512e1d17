/** The layout of every mail, as text and as HTML: one card that works in all mail programs, wide and narrow, light and dark. */

import type { Translation } from '../../languages/translation.ts';
import { type Html, html, rawHtml, renderHtml } from '../../text/html.ts';
import type { NamedText } from '../fields.ts';

/** A piece of content in both forms of a mail. */
export interface Part {
	text: string;
	html: Html;
}

interface Link {
	url: string;
	label: string;
}

export interface MailPage {
	translation: Translation;
	title: string;
	formName: string;
	/** The preview text beside the subject in a list of mails. */
	preview: string;
	parts: readonly Part[];
	/** A line at the link. */
	note?: string;
	link?: Link | undefined;
	footer: readonly string[];
	footerLink?: Link;
}

export interface Body {
	text: string;
	html: string;
}

/** A submission in a digest. */
export interface Entry {
	time: string;
	lines: readonly string[];
	url: string;
}

const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 0; background: #f3f4f6; }
.outer { background: #f3f4f6; }
.card { width: 100%; max-width: 640px; background: #ffffff; border: 1px solid #e2e5ea; border-radius: 10px; }
.card, .name, .value, .footer { font-family: -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif; }
.head { padding: 28px 32px 8px; }
.form { margin: 0 0 6px; font-size: 13px; line-height: 18px; color: #5b6472; }
h1 { margin: 0; font-size: 21px; line-height: 28px; font-weight: 600; color: #14181f; word-break: break-word; overflow-wrap: anywhere; }
.body { padding: 12px 32px 8px; }
.fields { border-collapse: collapse; table-layout: fixed; }
.name { width: 30%; padding: 12px 16px 12px 0; border-top: 1px solid #e9ebef; text-align: left; text-align: start; font-size: 13px; line-height: 22px; font-weight: 500; color: #5b6472; word-break: break-word; overflow-wrap: anywhere; }
.value { padding: 12px 0; border-top: 1px solid #e9ebef; font-size: 15px; line-height: 22px; color: #14181f; white-space: pre-wrap; word-break: break-word; overflow-wrap: anywhere; }
.entry { white-space: normal; }
.empty, .hint { color: #5b6472; }
.hint { margin: 12px 0 0; font-size: 13px; line-height: 20px; }
.action { padding: 16px 32px 32px; }
.button { display: inline-block; padding: 11px 20px; border-radius: 7px; background: #1f4fd8; color: #ffffff; font-size: 15px; line-height: 20px; font-weight: 600; text-decoration: none; }
.note { margin: 0 0 20px; font-size: 13px; line-height: 18px; color: #5b6472; }
.footer { max-width: 640px; padding: 18px 32px 0; font-size: 12px; line-height: 18px; color: #5b6472; }
.quiet { color: #5b6472; }
@media (max-width: 520px) {
	.outer-cell { padding: 0 0 24px !important; }
	.card { border-width: 0 0 1px !important; border-radius: 0 !important; }
	.head { padding: 22px 18px 6px !important; } .body { padding: 10px 18px 6px !important; }
	.action { padding: 14px 18px 26px !important; } .footer { padding: 16px 18px 0 !important; }
	.name, .value { display: block !important; width: auto !important; }
	.name { padding: 12px 0 0 !important; line-height: 18px !important; }
	.name + .value { border-top: 0 !important; padding: 2px 0 12px !important; }
	.button { display: block !important; text-align: center !important; }
}
@media (prefers-color-scheme: dark) {
	body, .outer { background: #111318 !important; }
	.card { background: #1a1d24 !important; border-color: #2c313b !important; }
	h1, .value { color: #eceef2 !important; }
	.form, .name, .note, .empty, .hint, .footer, .quiet { color: #a3abb8 !important; }
	.name, .value { border-top-color: #2c313b !important; }
	.button { background: #8fb0ff !important; color: #0d1526 !important; }
}`.trim();

export function renderBody(page: MailPage): Body {
	return { text: renderText(page), html: renderHtml(renderPage(page)) };
}

export function paragraph(text: string): Part {
	return { text, html: html`<p class="value">${text}</p>` };
}

export function hint(text: string): Part {
	return { text, html: html`<p class="hint">${text}</p>` };
}

export function fieldTable(fields: readonly NamedText[]): Part {
	return table(
		fields.map(({ name, text }) => ({
			text: `${name}:\n${text}`,
			html: html`<th class="name" valign="top" scope="row" dir="auto">${name}</th><td class="value" valign="top" dir="auto">${text || html`<span class="empty">–</span>`}</td>`,
		})),
	);
}

export function entryTable(entries: readonly Entry[]): Part {
	return table(
		entries.map(({ time, lines, url }) => ({
			text: [time, ...lines, url].join('\n'),
			html: html`<td class="value entry" dir="auto"><a class="quiet" href="${url}">${time}</a>${lines.map((line) => html`<br>${line}`)}</td>`,
		})),
	);
}

function table(rows: readonly Part[]): Part {
	return {
		text: rows.map(({ text }) => text).join('\n\n'),
		html: html`<table class="fields" width="100%" cellpadding="0" cellspacing="0" border="0">
${rows.map((row) => html`<tr>${row.html}</tr>\n`)}</table>`,
	};
}

function renderText({ translation, title, formName, parts, note, link, footer, footerLink }: MailPage): string {
	const foot = footerLink ? [...footer, `${footerLink.label}: ${footerLink.url}`] : footer;
	const blocks = [
		`${title}\n${formName}`,
		...parts.map(({ text }) => text),
		[note, link && translation.say('mailOpen', { url: link.url })].filter(Boolean).join('\n'),
		['-- ', ...foot].join('\n'),
	];
	return `${blocks.filter(Boolean).join('\n\n')}\n`;
}

/** Tables and one style element, which all mail programs support; no external resources. */
function renderPage({ translation, title, preview, formName, note, parts, link, footer, footerLink }: MailPage): Html {
	return html`<!doctype html>
<html lang="${translation.language}" dir="${translation.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<title>${title}</title>
<style>
${rawHtml(STYLE)}
</style>
</head>
<body>
<div style="display:none;max-height:0;overflow:hidden;opacity:0">${preview}</div>
<table role="presentation" class="outer" width="100%" cellpadding="0" cellspacing="0" border="0">
<tr><td class="outer-cell" align="center" style="padding:32px 12px">
<table role="presentation" class="card" cellpadding="0" cellspacing="0" border="0" align="center">
<tr><td class="head"><p class="form" dir="auto">${formName}</p><h1 dir="auto">${title}</h1></td></tr>
<tr><td class="body">
${parts.map((part) => part.html)}
</td></tr>
<tr><td class="action">${note !== undefined && html`<p class="note">${note}</p>`}${link && html`<a class="button" href="${link.url}">${link.label}</a>`}</td></tr>
</table>
<div class="footer" dir="auto">${footer.map((line, index) => html`${index > 0 && rawHtml('<br>')}${line}`)}${footerLink && html` <a class="quiet" href="${footerLink.url}">${footerLink.label}</a>`}</div>
</td></tr>
</table>
</body>
</html>
`;
}
