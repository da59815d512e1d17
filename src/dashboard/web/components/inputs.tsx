/** The inputs of forms, with their labels, hints and errors. */

import type { AllHTMLAttributes, ComponentChildren, InputHTMLAttributes, TextareaHTMLAttributes } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

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

/** The label, hint and error around an input, which `children` renders with the given attributes. */
function Labelled({ label, hint, error, children }: Labels & { children: (attributes: object) => ComponentChildren }) {
	const id = useId();
	const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
	return (
		<div class="field stack">
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

type Native = Pick<
	AllHTMLAttributes<HTMLElement>,
	'autocomplete' | 'autoFocus' | 'disabled' | 'list' | 'maxLength' | 'placeholder' | 'required'
>;

export interface FieldProps extends Labels, Native {
	value: string;
	onInput: (value: string) => void;
	/** Called when the focus leaves it. */
	onLeave?: () => void;
	type?: 'text' | 'email' | 'url' | 'password' | 'date' | 'datetime-local';
	/** More than one line makes a text area. */
	lines?: number;
	isMono?: boolean;
}

export function Field({
	label,
	hint,
	error,
	type = 'text',
	lines = 1,
	isMono,
	onInput,
	onLeave,
	...native
}: FieldProps) {
	const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
	// Before it is painted: later it would take the focus from where a person has put it by then.
	useLayoutEffect(() => {
		if (native.autoFocus) input.current?.focus();
	}, [native.autoFocus]);
	const own = {
		ref: input,
		class: isMono ? 'input mono' : 'input',
		// Code reads from left to right, whatever letters are in it.
		dir: isMono ? undefined : 'auto',
		autocomplete: 'off',
		spellcheck: false,
		...native,
		onInput: (event: Event) => onInput((event.currentTarget as HTMLInputElement).value),
		onBlur: onLeave,
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
	disabled?: boolean;
}

export function Select({ label, hint, error, options, onChange, ...native }: SelectProps) {
	return (
		<Labelled label={label} hint={hint} error={error}>
			{(attributes) => (
				<select {...attributes} class="input" {...native} onChange={(event) => onChange(event.currentTarget.value)}>
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
	disabled?: boolean;
	onChange: (isOn: boolean) => void;
}

export function Switch({ label, hint, isOn, disabled, onChange }: SwitchProps) {
	const id = useId();
	return (
		<div class="switch">
			<input
				id={id}
				type="checkbox"
				role="switch"
				checked={isOn}
				aria-checked={isOn}
				disabled={disabled}
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

interface TicksProps<T> {
	legend: string;
	options: readonly { value: T; label?: string; hint?: string }[];
	chosen: readonly T[];
	/** Gets the chosen values in the order of the options. */
	onChange: (chosen: T[]) => void;
}

function toggled<T>({ options, chosen }: Pick<TicksProps<T>, 'options' | 'chosen'>, one: T): T[] {
	return options.map(({ value }) => value).filter((value) => chosen.includes(value) !== (value === one));
}

/** Any of many short names, in a list that scrolls. */
export function Ticks<T extends string>({ class: own = 'checks', ...props }: TicksProps<T> & { class?: string }) {
	const { legend, options, chosen, onChange } = props;
	return (
		<fieldset class={own}>
			<legend>{legend}</legend>
			{options.map(({ value, label = value }) => (
				<label key={value} class="check row">
					<input type="checkbox" checked={chosen.includes(value)} onChange={() => onChange(toggled(props, value))} />
					<bdi>{label}</bdi>
				</label>
			))}
		</fieldset>
	);
}

interface ChoicesProps<T> extends TicksProps<T> {
	/** One of them, or any. */
	type: 'radio' | 'checkbox';
	hint?: string;
	disabled?: boolean;
}

/** A choice from a few cards, each with a sentence on what it means. */
export function Choices<T extends string>({ type, hint, disabled, ...ticks }: ChoicesProps<T>) {
	const { legend, options, chosen, onChange } = ticks;
	const name = useId();
	const choose = (value: T) => onChange(type === 'radio' ? [value] : toggled(ticks, value));
	return (
		<fieldset class="choices stack" disabled={disabled} aria-describedby={hint && `${name}-hint`}>
			<legend>{legend}</legend>
			<Hint id={name} text={hint} />
			{options.map(({ value, label = value, hint: meaning }) => (
				<label key={value} class="choice">
					<input type={type} name={name} checked={chosen.includes(value)} onChange={() => choose(value)} />
					<span>
						<strong>{label}</strong>
						{meaning && <span class="hint">{meaning}</span>}
					</span>
				</label>
			))}
		</fieldset>
	);
}
