/** An on/off setting with a sentence on what it does. */

import { useId } from 'preact/hooks';

interface Props {
	label: string;
	hint?: string;
	isOn: boolean;
	isDisabled?: boolean;
	onChange: (isOn: boolean) => void;
}

export function Switch({ label, hint, isOn, isDisabled, onChange }: Props) {
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
				{hint && (
					<p class="hint" id={`${id}-hint`}>
						{hint}
					</p>
				)}
			</div>
		</div>
	);
}
