/** The properties of every control of a setting. */

import type { SettingName } from '../../../../forms/settings.ts';

export interface ControlProps<S, Draft> {
	/** Its id. */
	form: string;
	name: SettingName;
	setting: S;
	draft: Draft;
	/** In place of that of the setting. */
	hint?: string;
	/** Error of saving all settings. */
	error: unknown;
	disabled: boolean;
	onChange(draft: Draft): void;
}
