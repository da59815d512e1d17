/** What stands below a field: its hint and its error. */

interface Props {
	/** Of the field. */
	id: string;
	hint?: string;
	error?: string;
}

/** The value of the field's `aria-describedby`. */
export function describedBy({ id, hint, error }: Props): string | undefined {
	return [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined;
}

export function FieldNotes({ id, hint, error }: Props) {
	return (
		<>
			{hint && (
				<p class="hint" id={`${id}-hint`}>
					{hint}
				</p>
			)}
			{error && (
				<p class="field-error" id={`${id}-error`}>
					{error}
				</p>
			)}
		</>
	);
}
