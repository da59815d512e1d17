/** Pure: a form's settings as a client sent them, checked and brought to the shape in which they are stored. */

import { formatSize, parseSize } from '../byte-sizes.ts';
import { AppError, type FieldError } from '../errors.ts';
import { checkFileType, DEFAULT_FILE_RULES, type FileRules, type FileRulesInput } from '../file-rules.ts';
import {
	FORM_SETTINGS,
	type FormInput,
	type FormSetting,
	type FormSettings,
	SETTING_NAMES,
	type SettingName,
} from './settings.ts';

/** What this server allows. */
export interface Allowed {
	captchas: ReadonlySet<FormSettings['captcha']>;
	/** Of one file. */
	maxFileBytes: number;
}

/**
 * @returns the settings that `input` holds.
 * @throws AppError VALIDATION_ERROR that names every field at fault.
 */
export function checkFormSettings(input: FormInput, allowed: Allowed): Partial<FormSettings> {
	const issues: FieldError[] = [];
	const sent = SETTING_NAMES.filter((name) => input[name] !== undefined);
	const settings = sent.map((name) => [name, checkSetting(name, input[name], { allowed, issues })]);
	const [first] = issues;
	if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields: issues });
	return Object.fromEntries(settings);
}

/** The type of `value` is that of the setting: the schema of the body saw to it. */
function checkSetting(
	name: SettingName,
	value: unknown,
	{ allowed, issues }: { allowed: Allowed; issues: FieldError[] },
): unknown {
	const setting = FORM_SETTINGS[name];
	const report = (code: string, message: string, field: string = name) => void issues.push({ field, code, message });
	if (setting.kind === 'switch' || value === null) return setting.kind === 'list' ? [] : value;
	if (setting.kind === 'choice') {
		if (!(allowed.captchas as ReadonlySet<unknown>).has(value)) report(setting.code, setting.error(value as string));
		return value;
	}
	if (setting.kind === 'files') return checkFiles(value as FileRulesInput, { name, setting, allowed, report });
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

interface FilesCheck {
	name: string;
	setting: Extract<FormSetting, { kind: 'files' }>;
	allowed: Allowed;
	report(code: string, message: string, field: string): void;
}

function checkFiles(input: FileRulesInput, { name, setting, allowed, report }: FilesCheck): FileRules {
	const { maxFiles, types } = { ...DEFAULT_FILE_RULES, ...input };
	const fault = (field: string, rule: string) =>
		report(setting.code, `${name}.${field} must be ${rule}.`, `${name}.${field}`);
	if (!(maxFiles >= 1 && maxFiles <= setting.maxFiles)) fault('maxFiles', `from 1 to ${setting.maxFiles}`);
	const { maxBytes: sent = DEFAULT_FILE_RULES.maxBytes } = input;
	const maxBytes = typeof sent === 'string' ? (parseSize(sent) ?? Number.NaN) : sent;
	// A form with the default can be sent back to a server of which the limit is lower.
	const most = Math.max(allowed.maxFileBytes, DEFAULT_FILE_RULES.maxBytes);
	if (!(maxBytes >= 1 && maxBytes <= most)) fault('maxBytes', `a size from 1B to ${formatSize(most)}, such as 10MiB`);
	if (types.length > setting.maxTypes) fault('types', `at most ${setting.maxTypes} entries`);
	const checked = types.map(
		(type, i) => checkFileType(type) ?? void fault(`types.${i}`, 'a type such as image/*, application/pdf or .docx'),
	);
	return { maxFiles, maxBytes, types: [...new Set(checked as string[])] };
}
