/** A labelled input with its hint and error. */

import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { describedBy, FieldNotes } from './field-notes.tsx';

interface Props {
	label: string;
	value: string;
	onInput: (value: string) => void;
	hint?: string;
	error?: string;
	type?: 'text' | 'email' | 'url' | 'password' | 'date' | 'search';
	placeholder?: string;
	/** More than one line makes a text area. */
	lines?: number;
	isRequired?: boolean;
	isDisabled?: boolean;
	maxLength?: number;
	autoFocus?: boolean;
	autoComplete?: string;
	isMono?: boolean;
}

export function Field(props: Props) {
	const { label, value, onInput, hint, error, type = 'text', lines = 1 } = props;
	const id = useId();
	const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
	useEffect(() => {
		if (props.autoFocus) input.current?.focus();
	}, [props.autoFocus]);
	const described = describedBy({ id, hint, error });
	const shared = {
		id,
		ref: input,
		value,
		class: props.isMono ? 'input mono' : 'input',
		placeholder: props.placeholder,
		required: props.isRequired,
		disabled: props.isDisabled,
		maxLength: props.maxLength,
		autocomplete: props.autoComplete ?? 'off',
		spellcheck: false,
		autoFocus: props.autoFocus,
		'aria-invalid': error ? true : undefined,
		'aria-describedby': described,
		onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
	};
	return (
		<div class="field">
			<label for={id}>{label}</label>
			{lines > 1 ? <textarea {...shared} rows={lines} /> : <input {...({ ...shared, type } as InputHTMLAttributes)} />}
			<FieldNotes id={id} hint={hint} error={error} />
		</div>
	);
}
