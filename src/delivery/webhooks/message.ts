/** Pure: the message about an event in the formats for people, and the owner's own body. */

import { labelsOf } from '../../field-rules/rules.ts';
import { isMessageFormat, type Message, messageRequest } from '../../form-values/message-formats.ts';
import type { Include, WebhookFormat } from '../../form-values/webhook-formats.ts';
import { encodeId } from '../../ids.ts';
import type { FormRow } from '../../storage/tables.ts';
import { cutText } from '../../text/cut-text.ts';
import { fillPlaceholders, type PlaceholderValues } from '../../text/placeholders.ts';
import { readFields } from '../fields.ts';
import { tidy, tidyLine } from '../mail/fit-text.ts';

/** Characters of a submission that a message is made from. */
const READ_MAX = 64 * 1024;
const SUMMARY_FIELDS_MAX = 10;
const SUMMARY_VALUE_MAX = 120;
/** Characters of a value in the owner's own body, and of a text in it. */
const FILLED = { valueMax: 20_000, totalMax: 40_000 };
/** Characters of that body. */
const BODY_MAX = 256 * 1024;

export interface Posting {
	url: string;
	format: Exclude<WebhookFormat, 'standard'>;
	include: Include;
	body: object | null;
}

/** An event, as these formats tell it. */
export interface Told {
	event: string;
	/** On one line, after the name of the form. */
	headline: string;
	form: Pick<FormRow, 'id' | 'name' | 'fields'>;
	/** The JSON text of the fields, with their submission; `null` for none, and of one that is gone. */
	submission: { id: string; createdAt: string; data: string | null } | null;
	/** In place of the fields. */
	note?: string;
	/** Public address of the dashboard. */
	baseUrl: string;
	/** Where it leads there, if not to the submission. */
	link?: string;
}

export interface PostRequest {
	url: string;
	method?: 'PUT';
	body: string;
}

/** @param id The same at each attempt. */
export function requestOf(told: Told, posting: Posting, id: string): PostRequest {
	const { url, format } = posting;
	if (!isMessageFormat(format)) return { url, body: customBody(told, posting.body ?? {}) };
	const { body, ...more } = messageRequest(format, messageOf(told, posting.include), { url, id });
	return { url, ...more, body: JSON.stringify(body) };
}

export function messageOf(told: Told, include: Include): Message {
	const { headline, form, note = '' } = told;
	const data = told.submission?.data ?? null;
	return {
		title: tidyLine(`${form.name}: ${headline}`).replace(/\s+/g, ' ').trim(),
		text: data !== null && include !== 'link' ? textOf(data, { include, form }) : tidy(note),
		link: linkTo(told),
	};
}

function textOf(data: string, { include, form }: { include: Include; form: Told['form'] }): string {
	const label = labelsOf(form.fields);
	const fields = readFields(data, { textMax: READ_MAX }).filter(({ text }) => text.trim() !== '');
	if (include === 'all') {
		const shown = fields.map(
			({ name, text }) => `${tidyLine(label(name))}:${text.includes('\n') ? '\n' : ' '}${tidy(text)}`,
		);
		return shown.join('\n');
	}
	const lines = fields
		.slice(0, SUMMARY_FIELDS_MAX)
		.map(({ name, text }) => `${summaryLine(label(name))}: ${summaryLine(text)}`);
	return [...lines, ...(fields.length > SUMMARY_FIELDS_MAX ? ['…'] : [])].join('\n');
}

const summaryLine = (text: string) =>
	cutText(
		tidyLine(text.slice(0, 4 * SUMMARY_VALUE_MAX))
			.replace(/\s+/g, ' ')
			.trim(),
		SUMMARY_VALUE_MAX,
	);

function linkTo({ form, submission, baseUrl, link }: Told): string {
	const page = `${baseUrl}/#/forms/${encodeId(form.id)}`;
	return link ?? (submission && submission.data !== null ? `${page}/submissions/${submission.id}` : page);
}

/** Values go in as text, into strings alone: they cannot change the shape of the body. */
function customBody(told: Told, template: object): string {
	const { event, form, submission } = told;
	const values: PlaceholderValues = {
		'form.name': form.name,
		'submission.event': event,
		'submission.id': submission?.id ?? '',
		'submission.url': linkTo(told),
		'submission.createdAt': submission?.createdAt ?? '',
		fields: submission?.data == null ? [] : readFields(submission.data),
	};
	let left = BODY_MAX;
	const fill = (text: string) => {
		if (!text.includes('{{')) return text;
		const bounds = { ...FILLED, totalMax: Math.min(FILLED.totalMax, left) };
		const filled = fillPlaceholders(text, values, bounds).toWellFormed();
		left -= filled.length;
		return filled;
	};
	return JSON.stringify(template, (_, value) => (typeof value === 'string' ? fill(value) : value));
}
