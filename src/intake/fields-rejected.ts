/** The error for a submission that breaks the field rules of its form, with what a visitor needs to correct it. */

import { AppError, type FieldError } from '../errors.ts';
import type { Content } from './content.ts';

export class FieldsRejected extends AppError {
	readonly content: Content;

	constructor(fields: FieldError[], content: Content) {
		const [first] = fields;
		const message = fields.length === 1 && first ? first.message : `${fields.length} fields need to be corrected.`;
		super('VALIDATION_ERROR', message, { fields });
		this.content = content;
	}
}
