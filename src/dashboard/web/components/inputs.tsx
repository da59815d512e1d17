/** The inputs of forms, with their labels, hints and errors. */

import type { ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface Labels {
	label: string;
	hint?: string;
	error?: string;
}

function Hint({ id, text }: { id: string; text: string | undefined }) {
	if (!text) return null;
	return (
		<p class="hint" id={`${id}-hint`}>
			{text}
		</p>
	);
}

/** What stands around an input, which `children` renders with the given attributes. */
function Labelled({ label, hint, error, children }: Labels & { children: (attributes: object) => ComponentChildren }) {
	const id = useId();
	const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
	return (
		<div class="field">
			<label for={id}>{label}</label>
			{children({ id, 'aria-invalid': error ? true : undefined, 'aria-describedby': described })}
			<Hint id={id} text={hint} />
			{error && (
				<p class="field-error" id={`${id}-error`}>
					{error}
				</p>
			)}
		</div>
	);
}

interface FieldProps extends Labels {
	value: string;
	onInput: (value: string) => void;
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

/** A text. */
export function Field(props: FieldProps) {
	const { label, value, onInput, hint, error, type = 'text', lines = 1 } = props;
	const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
	useEffect(() => {
		if (props.autoFocus) input.current?.focus();
	}, [props.autoFocus]);
	const own = {
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
		onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
	};
	return (
		<Labelled label={label} hint={hint} error={error}>
			{(attributes) =>
				lines > 1 ? (
					<textarea {...({ ...attributes, ...own, rows: lines } as TextareaHTMLAttributes)} />
				) : (
					<input {...({ ...attributes, ...own, type } as InputHTMLAttributes)} />
				)
			}
		</Labelled>
	);
}

interface SelectProps extends Labels {
	value: string;
	options: { value: string; label: string }[];
	onChange: (value: string) => void;
	isDisabled?: boolean;
}

/** A choice from a short list. */
export function Select({ value, options, onChange, isDisabled, ...labels }: SelectProps) {
	return (
		<Labelled {...labels}>
			{(attributes) => (
				<select
					{...attributes}
					class="input"
					value={value}
					disabled={isDisabled}
					onChange={(event) => onChange(event.currentTarget.value)}
				>
					{options.map((option) => (
						<option key={option.value} value={option.value}>
							{option.label}
						</option>
					))}
				</select>
			)}
		</Labelled>
	);
}

interface SwitchProps extends Omit<Labels, 'error'> {
	isOn: boolean;
	isDisabled?: boolean;
	onChange: (isOn: boolean) => void;
}

/** An on/off setting. */
export function Switch({ label, hint, isOn, isDisabled, onChange }: SwitchProps) {
	const id = useId();
	return (
		<div class="switch">
			<input
				id={id}
				type="checkbox"
				role="switch"
				checked={isOn}
				aria-checked={isOn}
				disabled={isDisabled}
				aria-describedby={hint && `${id}-hint`}
				onChange={(event) => onChange(event.currentTarget.checked)}
			/>
			<div>
				<label for={id}>{label}</label>
				<Hint id={id} text={hint} />
			</div>
		</div>
	);
}

interface SegmentsProps<T> {
	/** For screen readers. */
	legend: string;
	class?: string;
	options: { value: T; label: string }[];
	value: T;
	onChange: (value: T) => void;
}

/** A choice between a few words in a row. */
export function Segments<T extends string>({ legend, class: own, options, value: chosen, onChange }: SegmentsProps<T>) {
	const name = useId();
	return (
		<fieldset class={own ? `segments ${own}` : 'segments'}>
			<legend class="visually-hidden">{legend}</legend>
			{options.map(({ value, label }) => (
				<label key={value} class="segment">
					<input type="radio" name={name} value={value} checked={value === chosen} onChange={() => onChange(value)} />
					<span>{label}</span>
				</label>
			))}
		</fieldset>
	);
}

interface ChoicesProps<T> {
	legend: string;
	/** One of them, or any. */
	type: 'radio' | 'checkbox';
	options: { value: T; label?: string; hint: string }[];
	isChosen: (value: T) => boolean;
	onChoose: (value: T) => void;
}

/** A choice from a few cards, each with a sentence on what it means. */
export function Choices<T extends string>({ legend, type, options, isChosen, onChoose }: ChoicesProps<T>) {
	const name = useId();
	return (
		<fieldset class="choices">
			<legend>{legend}</legend>
			{options.map(({ value, label = value, hint }) => (
				<label key={value} class="choice">
					<input type={type} name={name} checked={isChosen(value)} onChange={() => onChoose(value)} />
					<span>
						<strong>{label}</strong>
						<span class="hint">{hint}</span>
					</span>
				</label>
			))}
		</fieldset>
	);
}
