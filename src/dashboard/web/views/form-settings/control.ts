/** How a setting is shown and changed in the dashboard. */

import type { JSX } from 'preact';
import type { Setting } from '../../../../forms/kinds/setting.ts';
import type { SettingName } from '../../../../forms/settings.ts';

/** @template Draft What the inputs hold; JSON. */
export interface Control<S extends Setting<unknown>, Draft> {
	draft(value: S['blank']): Draft;
	/** `stored` is what is stored now if it `isMerged`, else it may be older. */
	change(draft: Draft, setting: S, stored: S['blank']): unknown;
	/** The draft has changes alone: what another owner has changed meanwhile stays. */
	isMerged?: true;
	Input(props: ControlProps<S, Draft>): JSX.Element;
}

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
