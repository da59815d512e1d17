/** A setting of several inputs: its label and its hint around them, and what is wrong with it as a whole. */

import type { ComponentChildren } from 'preact';
import type { Setting } from '../../../../forms/kinds/setting.ts';
import { ApiError } from '../../api.ts';
import type { ControlProps } from './control.ts';

interface Props
	extends Pick<ControlProps<Pick<Setting<unknown>, 'label' | 'hint'>, unknown>, 'name' | 'setting' | 'error'> {
	/** Disables every input and button in it. */
	disabled?: boolean;
	/** In place of that of the setting. */
	hint?: string;
	children: ComponentChildren;
}

export function SettingFieldset({ name, setting, hint = setting.hint, error, disabled, children }: Props) {
	const whole = error instanceof ApiError ? error.fields[name] : undefined;
	return (
		<fieldset class="stack" disabled={disabled}>
			<legend>{setting.label}</legend>
			<p class="hint">{hint}</p>
			{children}
			{whole && <p class="field-error">{whole}</p>}
		</fieldset>
	);
}
