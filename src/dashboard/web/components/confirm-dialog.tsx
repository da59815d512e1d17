/** Confirms an action that cannot be undone; can require a typed text. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { showError } from '../state/toasts.ts';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';

interface Props {
	title: string;
	children: ComponentChildren;
	/** The label of the button. */
	verb: string;
	/** Text that enables the button once it is typed. */
	typed?: string;
	onConfirm: () => Promise<unknown>;
	onClose: () => void;
}

export function ConfirmDialog({ title, children, verb, typed, onConfirm, onClose }: Props) {
	const [text, setText] = useState('');
	const [isBusy, setBusy] = useState(false);
	const isReady = !isBusy && (typed === undefined || text.trim() === typed.trim());
	const confirm = async (event: Event) => {
		event.preventDefault();
		if (!isReady) return;
		setBusy(true);
		try {
			await onConfirm();
			onClose();
		} catch (error) {
			showError(error);
			setBusy(false);
		}
	};
	return (
		<Dialog title={title} onClose={onClose}>
			<form class="stack" onSubmit={confirm}>
				{children}
				{typed !== undefined && <Field label={`Type “${typed}” to confirm`} value={text} onInput={setText} autoFocus />}
				<div class="dialog-foot">
					<button type="button" class="button" onClick={onClose}>
						Cancel
					</button>
					<button type="submit" class="button danger" disabled={!isReady}>
						{verb}
					</button>
				</div>
			</form>
		</Dialog>
	);
}
