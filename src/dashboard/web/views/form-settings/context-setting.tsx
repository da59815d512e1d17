/** The setting for data that is kept of a submission beside its fields. */

import { ADDRESS_PARTS, type AddressPart, type ContextRules } from '../../../../form-values/context-rules.ts';
import type { Context } from '../../../../forms/kinds/context.ts';
import { Select, Switch } from '../../components/inputs.tsx';
import type { ControlProps } from './control-props.ts';

const PARTS = {
	page: ['Keep the page', 'Its address, without what follows the question mark.'],
	utm: ['Keep campaigns', 'The utm_… parameters of the page.'],
	agent: ['Keep the browser', 'The name that the browser gives itself.'],
} as const;

const ADDRESSES: Record<AddressPart, string> = {
	none: 'No address',
	network: 'The network only, such as 203.0.113.0/24',
	full: 'The whole address',
};

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
				label="Sender’s address"
				options={ADDRESS_PARTS.map((value) => ({ value, label: ADDRESSES[value] }))}
				value={draft.address}
				disabled={disabled}
				onChange={(address) => onChange({ ...draft, address: address as AddressPart })}
			/>
		</fieldset>
	);
}
