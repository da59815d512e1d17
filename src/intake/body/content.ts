/** The content of a submission: the JSON text to store, its special fields, its files. */

import { isStored } from '../../form-values/aliases.ts';
import type { Dropped } from '../../form-values/dropped-files.ts';
import type { FormRow } from '../../storage/tables.ts';
import type { Posted, PostedField } from './fields.ts';
import type { RefusedFile } from './refused-files.ts';
import { dataJson, type SpecialFields, specialNamesOf, splitSpecialFields } from './special-fields.ts';
import type { Upload } from './upload.ts';

export interface Content extends Dropped {
	special: SpecialFields;
	/** The fields to store; empty if there are none. */
	fields: readonly PostedField[];
	/** The same as a JSON text. */
	data: string;
	/** The files that came with it, if any. */
	files?: Upload | undefined;
	/** Those that were left out; they stand in `droppedFiles` too. */
	refused?: readonly RefusedFile[];
}

export function contentOf(posted: Posted, form: Pick<FormRow, 'spam' | 'aliases'>, files?: Upload): Content {
	const { special, fields } = splitSpecialFields(posted.fields, specialNamesOf(form));
	return { special, fields, data: dataJson(fields, posted.json), files: files?.hasFiles() ? files : undefined };
}

/** Removes the files of special fields, which are never stored. */
export async function dropSpecialFiles(files: Upload, form: Pick<FormRow, 'spam' | 'aliases'>): Promise<void> {
	const special = specialNamesOf(form);
	await files.drop(new Set([...files.fields()].filter((name) => !isStored(special.get(name)))));
}

/** Replaces the fields; the values that stay are the same texts. */
export function setFields(content: Content, fields: readonly PostedField[]): void {
	content.fields = fields;
	content.data = dataJson(fields);
}
