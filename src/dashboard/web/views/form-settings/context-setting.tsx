/** The setting for data that is kept of a submission beside its fields. */

import { ADDRESS_PARTS, type AddressPart, type ContextRules } from '../../../../form-values/context-rules.ts';
import type { Context } from '../../../../forms/kinds/context.ts';
import { Select, Switch } from '../../components/inputs.tsx';
import * as words from '../../sentences/words.ts';
import type { ControlProps } from './control-props.ts';

const PARTS = {
	page: [words.formSettings.keepPage, words.formSettings.keepPageHint],
	utm: [words.formSettings.keepCampaigns, words.formSettings.keepCampaignsHint],
	agent: [words.formSettings.keepBrowser, words.formSettings.keepBrowserHint],
} as const;

export function ContextSetting({ setting, draft, disabled, onChange }: ControlProps<Context, ContextRules>) {
	return (
		<fieldset class="stack">
			<legend>{setting.label}</legend>
			<p class="hint">{setting.hint}</p>
			{(['page', 'utm', 'agent'] as const).map((part) => (
				<Switch
					key={part}
					label={PARTS[part][0]}
					hint={PARTS[part][1]}
					isOn={draft[part]}
					disabled={disabled}
					onChange={(isOn) => onChange({ ...draft, [part]: isOn })}
				/>
			))}
			<Select
				label={words.formSettings.senderAddress}
				options={ADDRESS_PARTS.map((value) => ({ value, label: words.formSettings.addresses[value] }))}
				value={draft.address}
				disabled={disabled}
				onChange={(address) => onChange({ ...draft, address: address as AddressPart })}
			/>
		</fieldset>
	);
}
