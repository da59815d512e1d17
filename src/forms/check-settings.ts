/** Pure: the settings of a form as they are stored, of what a client sent, and as clients read them. */

import { type FieldError, rejectFaults } from '../errors.ts';
import { compilePattern } from '../field-rules/pattern.ts';
import { DEFAULT_FILE_RULES } from '../form-values/file-rules.ts';
import type { Allowed } from './kinds/setting.ts';
import { shownNotification, storedNotification } from './notification.ts';
import {
	BLANK_SETTINGS,
	FORM_SETTINGS,
	type FormInput,
	type FormSettings,
	pickSettings,
	SETTING_NAMES,
} from './settings.ts';

/** Those of a new form of which nothing is said. */
export const NEW_SETTINGS: FormSettings = { ...BLANK_SETTINGS, files: DEFAULT_FILE_RULES };

/** Those of a form in a file, where the slug is its key, and the name of the file its mark. */
export const SETTINGS_IN_FILE = SETTING_NAMES.filter((name) => name !== 'slug' && name !== 'keptIn');

/**
 * The settings as a client sent them, in the shape in which they are stored.
 * @param input Its types are those of the settings: the schema of the body saw to it.
 * @throws AppError VALIDATION_ERROR that names every field at fault.
 */
export function checkFormSettings(
	input: FormInput,
	{ allowed, before }: { allowed: Allowed; before: FormSettings },
): Partial<FormSettings> {
	const issues: FieldError[] = [];
	const sent = SETTING_NAMES.filter((name) => input[name] !== undefined);
	const settings = sent.map((name) => {
		const { blank, check } = FORM_SETTINGS[name];
		const report = (code: string, message: string, field: string = name) => void issues.push({ field, code, message });
		return [
			name,
			input[name] === null ? blank : check(input[name] as object, { name, allowed, compilePattern, report }),
		];
	});
	rejectFaults(issues);
	const checked: Partial<FormSettings> = Object.fromEntries(settings);
	return { ...checked, ...storedNotification(checked, before) };
}

/** As clients read them. @param into Gets them, behind the members that it has */
export function shownSettings<Into extends object>(stored: FormSettings, into?: Into): Into & FormSettings {
	const shown: FormSettings = pickSettings(stored, into);
	shown.notification = shownNotification(stored);
	if (shown.files) shown.files = { ...shown.files, onRefused: shown.files.onRefused ?? 'refuse' };
	return shown as Into & FormSettings;
}
