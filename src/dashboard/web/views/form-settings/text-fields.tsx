/** A setting of several texts: an input for each. */

import { mapNames } from '../../../../text/map-names.ts';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import type { ControlProps } from './control.ts';

interface TextInput {
	label: string;
	hint?: string;
	placeholder?: string;
	lines?: number;
	type?: 'url';
	maxLength?: number;
}

/** By their members. */
export type TextInputs<Member extends string> = Record<Member, TextInput>;

interface Props<Member extends string, Draft>
	extends Pick<ControlProps<unknown, Draft>, 'draft' | 'error' | 'onChange'> {
	/** The member of the form that has them, as errors name it. */
	name: string;
	inputs: TextInputs<Member>;
}

const membersOf = <Member extends string>(inputs: TextInputs<Member>) => Object.keys(inputs) as Member[];

/** The texts of a setting, as the inputs hold them. */
export function textsOf<Member extends string>(inputs: TextInputs<Member>, stored: object | null) {
	const values: Record<string, unknown> = { ...stored };
	return mapNames(membersOf(inputs), (member) => `${values[member] ?? ''}`);
}

/** Texts as the API takes them: `null` for an empty one. */
export const sentTexts = <Member extends string>(texts: Record<Member, string>): Record<Member, string | null> =>
	mapNames(Object.keys(texts) as Member[], (member) => texts[member].trim() || null);

export function TextFields<Member extends string, Draft extends Record<Member, string>>(props: Props<Member, Draft>) {
	const { name, inputs, draft, error, onChange } = props;
	return membersOf(inputs).map((member) => (
		<Field
			key={member}
			{...inputs[member]}
			value={draft[member]}
			error={errorOf(error, `${name}.${member}`)}
			onInput={(text) => onChange({ ...draft, [member]: text })}
		/>
	));
}
