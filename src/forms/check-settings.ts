/** Pure: a form's settings as a client sent them, checked and brought to the shape in which they are stored. */

import { AppError, type FieldError } from '../errors.ts';
import type { Allowed } from './kinds/setting.ts';
import { FORM_SETTINGS, type FormInput, type FormSettings, SETTING_NAMES } from './settings.ts';

/**
 * @param input Its types are those of the settings: the schema of the body saw to it.
 * @returns the settings that `input` holds.
 * @throws AppError VALIDATION_ERROR that names every field at fault.
 */
export function checkFormSettings(input: FormInput, allowed: Allowed): Partial<FormSettings> {
	const issues: FieldError[] = [];
	const sent = SETTING_NAMES.filter((name) => input[name] !== undefined);
	const settings = sent.map((name) => {
		const { blank, check } = FORM_SETTINGS[name];
		const report = (code: string, message: string, field: string = name) => void issues.push({ field, code, message });
		return [name, input[name] === null ? blank : check(input[name] as object, { name, allowed, report })];
	});
	const [first] = issues;
	if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields: issues });
	return Object.fromEntries(settings);
}
