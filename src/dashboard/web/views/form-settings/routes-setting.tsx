/** The setting by which submissions choose among addresses of the owner. */

import { CONDITIONS_MAX } from '../../../../form-values/conditions.ts';
import type { MailRoute } from '../../../../form-values/notification-rules.ts';
import { ROUTES_MAX, type Routes } from '../../../../forms/kinds/mail-routes.ts';
import { Button } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import {
	type ConditionDraft,
	ConditionsInput,
	conditionDraft,
	conditionOf,
	NEW_CONDITIONS,
} from './conditions-input.tsx';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';

interface RouteDraft {
	where: ConditionDraft[];
	to: string;
}

const routeDraft = ({ where, to }: MailRoute): RouteDraft => ({ where: where.map(conditionDraft), to });

const routeOf = ({ where, to }: RouteDraft): MailRoute => ({ where: where.map(conditionOf), to: to.trim() });

export const routes: Control<Routes, RouteDraft[]> = {
	draft: (value) => value.map(routeDraft),
	change: (drafts) => drafts.map(routeOf),
	Input: RoutesInput,
};

function RoutesInput({ name, setting, draft, error, disabled, onChange }: ControlProps<Routes, RouteDraft[]>) {
	const set = (at: number, change: Partial<RouteDraft>) =>
		onChange(draft.with(at, { ...(draft[at] as RouteDraft), ...change }));
	return (
		<SettingFieldset name={name} setting={setting} error={error} disabled={disabled}>
			<ol class="rules">
				{draft.map((route, at) => (
					<li key={at} class="rule rule-body stack">
						<ConditionsInput
							member={`routes.${at}.where`}
							max={CONDITIONS_MAX}
							drafts={route.where}
							error={error}
							onChange={(where) => set(at, { where })}
						/>
						<Field
							label={words.formSettings.mailGoesTo}
							value={route.to}
							placeholder={words.formSettings.mailExample}
							error={errorOf(error, `routes.${at}.to`)}
							onInput={(to) => set(at, { to })}
						/>
						{!disabled && (
							<div>
								<Button
									label={words.formSettings.removeRoute}
									look="small danger"
									onClick={() => onChange(draft.toSpliced(at, 1))}
								/>
							</div>
						)}
					</li>
				))}
			</ol>
			{!disabled && draft.length < ROUTES_MAX && (
				<div>
					<Button
						label={words.formSettings.addRoute}
						icon="plus"
						look="small"
						onClick={() => onChange([...draft, { where: NEW_CONDITIONS, to: '' }])}
					/>
				</div>
			)}
		</SettingFieldset>
	);
}
