/** The setting by which submissions choose among addresses of the owner. */

import { CONDITIONS_MAX } from '../../../../form-values/conditions.ts';
import type { MailRoute } from '../../../../form-values/notification-rules.ts';
import { ROUTES_MAX, type Routes } from '../../../../forms/kinds/mail-routes.ts';
import { ApiError } from '../../api.ts';
import { Button } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import {
	type ConditionDraft,
	ConditionsInput,
	conditionDraft,
	conditionOf,
	NEW_CONDITIONS,
} from './conditions-input.tsx';
import type { ControlProps } from './control-props.ts';

/** A route as the inputs hold it. */
export interface RouteDraft {
	where: ConditionDraft[];
	to: string;
}

export const routeDraft = ({ where, to }: MailRoute): RouteDraft => ({ where: where.map(conditionDraft), to });

export const routeOf = ({ where, to }: RouteDraft): MailRoute => ({ where: where.map(conditionOf), to: to.trim() });

export function RoutesSetting({ name, setting, draft, error, disabled, onChange }: ControlProps<Routes, RouteDraft[]>) {
	const { label, hint } = setting;
	const whole = error instanceof ApiError ? error.fields[name] : undefined;
	const set = (at: number, change: Partial<RouteDraft>) =>
		onChange(draft.with(at, { ...(draft[at] as RouteDraft), ...change }));
	return (
		<fieldset class="stack">
			<legend>{label}</legend>
			<p class="hint">{hint}</p>
			<ol class="rules">
				{draft.map((route, at) => (
					<li key={at} class="rule rule-body stack">
						<ConditionsInput
							member={`routes.${at}.where`}
							max={CONDITIONS_MAX}
							drafts={route.where}
							error={error}
							disabled={disabled}
							onChange={(where) => set(at, { where })}
						/>
						<Field
							label={words.formSettings.mailGoesTo}
							value={route.to}
							placeholder={words.formSettings.mailExample}
							error={errorOf(error, `routes.${at}.to`)}
							disabled={disabled}
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
			{whole && <p class="field-error">{whole}</p>}
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
		</fieldset>
	);
}
