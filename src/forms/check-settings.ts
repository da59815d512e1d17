/** Pure: a form's settings as a client sent them, checked and brought to the shape in which they are stored. */

import { AppError, type FieldError } from '../errors.ts';
import { FORM_SETTINGS, type FormInput, type FormSettings, SETTING_NAMES, type SettingName } from './settings.ts';

/** The choices that this server offers; of a setting that is not named, all. */
type Offered = { [K in SettingName]?: ReadonlySet<FormSettings[K]> };

/**
 * @returns the settings that `input` holds.
 * @throws AppError VALIDATION_ERROR that names every field at fault.
 */
export function checkFormSettings(input: FormInput, offered: Offered): Partial<FormSettings> {
	const issues: FieldError[] = [];
	const sent = SETTING_NAMES.filter((name) => input[name] !== undefined);
	const settings = sent.map((name) => [name, checkSetting(name, input[name], { offered, issues })]);
	const [first] = issues;
	if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields: issues });
	return Object.fromEntries(settings);
}

/** The type of `value` is that of the setting: the schema of the body saw to it. */
function checkSetting(
	name: SettingName,
	value: unknown,
	{ offered, issues }: { offered: Offered; issues: FieldError[] },
): unknown {
	const setting = FORM_SETTINGS[name];
	const report = (code: string, message: string, field: string = name) => void issues.push({ field, code, message });
	if (setting.kind === 'switch' || value === null) return setting.kind === 'list' ? [] : value;
	if (setting.kind === 'choice') {
		const isOffered = (offered[name] as ReadonlySet<unknown> | undefined)?.has(value) ?? true;
		if (!isOffered) report(setting.code, setting.error(value as string));
		return value;
	}
	const { check, code, error } = setting;
	if (setting.kind === 'text') return check(value as string) ?? report(code, error);
	const entries = value as string[];
	if (entries.length > setting.maxEntries) {
		return report('TOO_MANY', `${name} holds at most ${setting.maxEntries} entries.`);
	}
	const checked = entries.map((entry, i) => {
		const field = `${name}.${i}`;
		return check(entry) ?? report(code, error.replace(name, field), field);
	});
	return [...new Set(checked)];
}
