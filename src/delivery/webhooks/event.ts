/** An event of webhooks about a submission: as posted, as stored, and as shown to the owner. */

import { presentFile, type ShownFile } from '../../files/present-file.ts';
import { encodeId } from '../../ids.ts';
import type { PostBody } from '../../network/post-body.ts';
import type { Storage } from '../../storage/contract.ts';
import { NO_DATA } from '../../storage/damage.ts';
import { isJsonInUtf8 } from '../../storage/damaged-bytes.ts';
import { noteDamage } from '../../storage/findings.ts';
import type { PageEntry, StoredFile } from '../../storage/submission.ts';
import type { DeliveryRow, FormRow } from '../../storage/tables.ts';
import type { Timeline } from '../../storage/timeline.ts';
import type { ByteBudget } from '../../tasks/byte-budget.ts';
import { parseExact } from '../../text/exact-json.ts';
import type { Content } from '../channel.ts';
import { ofFormOnly, presentSent } from '../present-submission.ts';
import type { SharedText } from './shared-texts.ts';

type EventForm = Pick<FormRow, 'name' | 'slug'> & { id: string };

/** The body of the format `standard`. */
export const STANDARD = {
	/**
	 * The body about a submission, whose `data.submission` is the Submission of the API, without the JSON text of its `data`:
	 * the caller inserts that between the two parts, because it may be large.
	 */
	event(
		type: string,
		{ form, createdAt, around: [before, after] }: { form: EventForm; createdAt: string; around: [string, string] },
	): [before: string, after: string] {
		const event = JSON.stringify({ type, timestamp: createdAt }).slice(0, -1);
		return [`${event},"data":{"form":${JSON.stringify(form)},"submission":${before}`, `${after}}}`];
	},
	/** The body of an event without one. */
	facts: (type: string, { form, at, facts }: { form: EventForm; at: string; facts?: object }): string =>
		JSON.stringify({ type, timestamp: at, data: { form, ...facts } }),
};

export const formShown = ({ id, name, slug }: Pick<FormRow, 'id' | 'name' | 'slug'>): EventForm => ({
	id: encodeId(id),
	name,
	slug,
});

export interface Event {
	type: string;
	form: Pick<FormRow, 'id' | 'name' | 'slug' | 'fields'>;
	/** With its files; of one that cannot be read any more, no text is sent. */
	submission: PageEntry;
	timeline: Timeline;
	/** When it was; absent: with the submission. */
	at?: string;
}

/** Addresses of files, by their ids. */
export type FileUrls = ReadonlyMap<number, string>;

/** Bytes of the submission that are shown of a request. */
const SHOWN_MAX_BYTES = 100_000;
const NO_URLS: FileUrls = new Map();

/** The body to post; releases the submission's text once it is written. */
export function eventBody(event: Event, text: SharedText, urls: FileUrls): PostBody {
	const [before, after] = parts(event, urls).map((part) => Buffer.from(part)) as [Buffer, Buffer];
	const data = () => (event.submission.isDamaged ? Buffer.from(NO_DATA) : text.bytes);
	return {
		bytes: before.length + (data()?.length ?? 0) + after.length,
		*chunks() {
			yield before;
			const bytes = data();
			if (bytes) yield bytes;
			yield after;
		},
		sent: text.release,
	};
}

/** JSON text of the event with `null` in place of the submission's data, which is stored anyway, and without the links. */
export function eventKept(event: Event): string {
	return parts(event, NO_URLS).join('null');
}

function parts({ type, form, submission, timeline, at }: Event, urls: FileUrls): [before: string, after: string] {
	return STANDARD.event(type, {
		form: formShown(form),
		createdAt: at ?? timeline.isoOf(submission.id),
		around: presentSent(ofFormOnly(submission), timeline, (file) => withUrl(file, urls)),
	});
}

/** The event with the submission's data restored, cut if it is long. */
export async function eventShown(
	kept: string,
	{ row, storage, budget }: { row: DeliveryRow; storage: Storage; budget: Pick<ByteBudget, 'take'> },
): Promise<Content | undefined> {
	const submission = await storage.submissions.head(row.formId, row.submissionId ?? -1);
	if (!submission) return undefined;
	using _held = await budget.take(submission.bytes);
	const bytes = await storage.submissions.text(submission, SHOWN_MAX_BYTES);
	if (!bytes) return undefined;
	const isCut = submission.bytes > SHOWN_MAX_BYTES;
	// `stream` drops a character that was cut in two.
	const text = new TextDecoder().decode(bytes, { stream: true });
	const event = JSON.parse(kept) as { data: { submission: { data: unknown; damaged?: true } } };
	const shown = event.data.submission;
	if (isCut) shown.data = text;
	else if (isJsonInUtf8(bytes)) shown.data = parseExact(text);
	else {
		noteDamage(storage.findings, submission.id);
		Object.assign(shown, { data: {}, damaged: true });
	}
	return isCut ? { ...event, isCut } : { ...event };
}

/** A file as the API shows it, with a link that needs no key, except in what is kept of the event. */
function withUrl(file: StoredFile, urls: FileUrls): ShownFile & { url?: string } {
	const url = urls.get(file.id);
	return { ...presentFile(file), ...(url !== undefined && { url }) };
}
