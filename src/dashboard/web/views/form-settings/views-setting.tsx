/** The saved views of the inbox, by name and query. */

import { type SavedView, VIEW_NAME_MAX } from '../../../../form-values/saved-views.ts';
import type { Views } from '../../../../forms/kinds/views.ts';
import { Button } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import { formOf } from '../../state/forms.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';

/** By the stored names; `null`: it is removed. */
type ViewChanges = Record<string, Partial<SavedView> | null>;

const changeOf = (changes: ViewChanges, { name }: SavedView) => (Object.hasOwn(changes, name) ? changes[name] : {});

/** The views with what is changed of each. */
const changedViews = (stored: readonly SavedView[], changes: ViewChanges) =>
	stored.flatMap((view) => {
		const change = changeOf(changes, view);
		return change ? [{ view, changed: { ...view, ...change } }] : [];
	});

export const views: Control<Views, ViewChanges> = {
	draft: () => ({}),
	change: (changes, _, stored) => changedViews(stored, changes).map(({ changed }) => changed),
	isMerged: true,
	Input: ViewsInput,
};

function ViewsInput({ form, name, setting, draft, error, disabled, onChange }: ControlProps<Views, ViewChanges>) {
	const set = (view: SavedView, change: Partial<SavedView>) => {
		const next = { ...changeOf(draft, view), ...change };
		const { [view.name]: _, ...others } = draft;
		const isAsStored = (next.name ?? view.name) === view.name && (next.query ?? view.query) === view.query;
		onChange(isAsStored ? others : { ...others, [view.name]: next });
	};
	return (
		<SettingFieldset name={name} setting={setting} error={error} disabled={disabled}>
			<ol class="rules">
				{changedViews(formOf(form)?.views ?? [], draft).map(({ view, changed }, at) => (
					<li key={view.name} class="rule rule-body stack">
						<Field
							label={words.inbox.viewName}
							value={changed.name}
							maxLength={VIEW_NAME_MAX}
							error={errorOf(error, `${name}.${at}.name`)}
							onInput={(value) => set(view, { name: value })}
						/>
						<Field
							label={words.formSettings.viewQuery}
							value={changed.query}
							isMono
							error={errorOf(error, `${name}.${at}.query`)}
							onInput={(query) => set(view, { query })}
						/>
						{!disabled && (
							<div>
								<Button
									label={words.formSettings.removeView}
									look="small danger"
									onClick={() => onChange({ ...draft, [view.name]: null })}
								/>
							</div>
						)}
					</li>
				))}
			</ol>
		</SettingFieldset>
	);
}
