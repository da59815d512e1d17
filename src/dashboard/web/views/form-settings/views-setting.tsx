/** The saved views of the inbox, by name and query. */

import { type SavedView, VIEW_NAME_MAX } from '../../../../form-values/saved-views.ts';
import type { Views } from '../../../../forms/kinds/views.ts';
import { Button } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';

export const views: Control<Views, SavedView[]> = {
	draft: (value) => value,
	change: (draft) => draft,
	Input: ViewsInput,
};

function ViewsInput({ name, setting, draft, error, disabled, onChange }: ControlProps<Views, SavedView[]>) {
	const set = (at: number, change: Partial<SavedView>) =>
		onChange(draft.with(at, { ...(draft[at] as SavedView), ...change }));
	return (
		<SettingFieldset name={name} setting={setting} error={error} disabled={disabled}>
			<ol class="rules">
				{draft.map((view, at) => (
					<li key={at} class="rule rule-body stack">
						<Field
							label={words.inbox.viewName}
							value={view.name}
							maxLength={VIEW_NAME_MAX}
							error={errorOf(error, `${name}.${at}.name`)}
							onInput={(value) => set(at, { name: value })}
						/>
						<Field
							label={words.formSettings.viewQuery}
							value={view.query}
							isMono
							error={errorOf(error, `${name}.${at}.query`)}
							onInput={(query) => set(at, { query })}
						/>
						{!disabled && (
							<div>
								<Button
									label={words.formSettings.removeView}
									look="small danger"
									onClick={() => onChange(draft.toSpliced(at, 1))}
								/>
							</div>
						)}
					</li>
				))}
			</ol>
		</SettingFieldset>
	);
}
