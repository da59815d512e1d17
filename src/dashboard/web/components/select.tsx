/** A labelled choice from a short list. */

import { useId } from 'preact/hooks';
import { describedBy, FieldNotes } from './field-notes.tsx';

interface Props {
	label: string;
	value: string;
	options: { value: string; label: string }[];
	onChange: (value: string) => void;
	hint?: string;
	error?: string;
	isDisabled?: boolean;
}

export function Select({ label, value, options, onChange, hint, error, isDisabled }: Props) {
	const id = useId();
	const described = describedBy({ id, hint, error });
	return (
		<div class="field">
			<label for={id}>{label}</label>
			<select
				id={id}
				class="input"
				value={value}
				disabled={isDisabled}
				aria-invalid={error ? true : undefined}
				aria-describedby={described}
				onChange={(event) => onChange(event.currentTarget.value)}
			>
				{options.map((option) => (
					<option key={option.value} value={option.value}>
						{option.label}
					</option>
				))}
			</select>
			<FieldNotes id={id} hint={hint} error={error} />
		</div>
	);
}
