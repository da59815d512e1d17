/** Rejects a submission without the address that its form has visitors confirm. */

import type { FieldError } from '../../errors.ts';
import { labelsOf } from '../../field-rules/rules.ts';
import { addressIn } from '../../form-values/visitor-mails.ts';
import { say } from '../../languages/translations.ts';
import type { FormRow } from '../../storage/tables.ts';
import type { Content } from '../body/content.ts';
import { FieldsRejected } from './field-rules.ts';

/** @throws FieldsRejected */
export function checkAddress({ confirm, fields }: Pick<FormRow, 'confirm' | 'fields'>, content: Content): void {
	if (confirm === null) return;
	const { field } = confirm;
	// The name of a file is no address, and goes if the file is left out later.
	const isFile = content.files?.fields().has(field) === true;
	if (!isFile && addressIn(content.data, field) !== undefined) return;
	const isMissing = !content.fields.some(({ name, json }) => name === field && json !== '""');
	const says = [isMissing ? 'required' : 'badEmail', { label: labelsOf(fields)(field) }] as const;
	const error: FieldError = { field, code: isMissing ? 'REQUIRED' : 'INVALID_EMAIL', message: say(...says), says };
	throw new FieldsRejected([error], content);
}
