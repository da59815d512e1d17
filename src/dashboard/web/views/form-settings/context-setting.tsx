/** The setting for data that is kept of a submission beside its fields. */

import {
	ADDRESS_PARTS,
	type AddressPart,
	type ContextRules,
	NO_CONTEXT,
} from '../../../../form-values/context-rules.ts';
import type { Context } from '../../../../forms/kinds/context.ts';
import { Select, Switch } from '../../components/inputs.tsx';
import * as words from '../../sentences/more-words.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';

const PARTS = {
	page: [words.formSettings.keepPage, words.formSettings.keepPageHint],
	utm: [words.formSettings.keepCampaigns, words.formSettings.keepCampaignsHint],
	agent: [words.formSettings.keepBrowser, words.formSettings.keepBrowserHint],
} as const;

export const context: Control<Context, ContextRules> = {
	draft: (value) => value ?? NO_CONTEXT,
	change: (draft) => draft,
	Input: ContextInput,
};

function ContextInput({ name, setting, draft, error, disabled, onChange }: ControlProps<Context, ContextRules>) {
	return (
		<SettingFieldset name={name} setting={setting} error={error} disabled={disabled}>
			{(['page', 'utm', 'agent'] as const).map((part) => (
				<Switch
					key={part}
					label={PARTS[part][0]}
					hint={PARTS[part][1]}
					isOn={draft[part]}
					onChange={(isOn) => onChange({ ...draft, [part]: isOn })}
				/>
			))}
			<Select
				label={words.formSettings.senderAddress}
				options={ADDRESS_PARTS.map((value) => ({ value, label: words.formSettings.addresses[value] }))}
				value={draft.address}
				onChange={(address) => onChange({ ...draft, address: address as AddressPart })}
			/>
		</SettingFieldset>
	);
}
