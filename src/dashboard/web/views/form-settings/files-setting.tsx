/** The setting for attached files: any or none, how many, how large, and of which types. */

import {
	DEFAULT_FILE_RULES,
	type FileRules,
	ON_REFUSED,
	ON_REFUSED_NAMES,
} from '../../../../form-values/file-rules.ts';
import type { Files } from '../../../../forms/kinds/files.ts';
import { formatSize } from '../../../../text/byte-sizes.ts';
import { Field, Select, Switch } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import type { Control, ControlProps } from './control.ts';
import { typedNumber } from './typed-number.ts';

export const entriesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean);

export const files: Control<Files, string> = { draft: draftOf, change: changeOf, Input: FilesInput };

/** The rules as the inputs hold them, one on each line; empty for no files. */
function draftOf(rules: FileRules | null): string {
	if (!rules) return '';
	const { maxFiles, maxBytes, types, onRefused = 'refuse' } = rules;
	return [maxFiles, formatSize(maxBytes), types.join(', '), onRefused].join('\n');
}

function changeOf(draft: string): Record<keyof FileRules, unknown> | null {
	if (draft === '') return null;
	const [maxFiles = '', maxBytes = '', types = '', onRefused] = draft.split('\n');
	// Without a number the server would take its own.
	return { maxFiles: typedNumber(maxFiles) ?? '', maxBytes: maxBytes.trim(), types: entriesOf(types), onRefused };
}

function FilesInput({ setting, draft, error, disabled, onChange }: ControlProps<Files, string>) {
	const { label, hint } = setting;
	const parts = draft.split('\n');
	const [maxFiles = '', maxBytes = '', types = '', onRefused = ''] = parts;
	const set = (at: number) => (text: string) => onChange(parts.with(at, text).join('\n'));
	return (
		<fieldset class="stack" disabled={disabled}>
			<legend class="visually-hidden">{label}</legend>
			<Switch
				label={words.formSettings.takeFiles}
				hint={hint}
				isOn={draft !== ''}
				onChange={(isOn) => onChange(draftOf(isOn ? DEFAULT_FILE_RULES : null))}
			/>
			{draft !== '' && (
				<div class="pairs">
					<Field
						label={words.formSettings.maxFiles}
						value={maxFiles}
						error={errorOf(error, 'files.maxFiles')}
						onInput={set(0)}
					/>
					<Field
						label={words.formSettings.maxBytes}
						value={maxBytes}
						placeholder="10MiB"
						error={errorOf(error, 'files.maxBytes')}
						onInput={set(1)}
					/>
					<Field
						label={words.formSettings.fileTypes}
						hint={words.formSettings.fileTypesHint}
						value={types}
						placeholder={words.formSettings.anyType}
						isMono
						error={errorOf(error, 'files.types', entriesOf(types))}
						onInput={set(2)}
					/>
					<Select
						label={words.formSettings.otherFiles}
						hint={words.formSettings.otherFilesHint}
						value={onRefused}
						options={ON_REFUSED_NAMES.map((value) => ({ value, label: ON_REFUSED[value].label }))}
						onChange={set(3)}
					/>
				</div>
			)}
		</fieldset>
	);
}
