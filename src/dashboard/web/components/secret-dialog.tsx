/** Shows a secret, once. */

import type { ComponentChildren } from 'preact';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
	title: string;
	secret: string;
	what: string;
	children: ComponentChildren;
	onClose: () => void;
}

export function SecretDialog({ title, secret, what, children, onClose }: Props) {
	return (
		<Dialog
			title={title}
			onClose={onClose}
			actions={
				<button type="button" class="button primary" onClick={onClose}>
					I have stored it
				</button>
			}
		>
			{children}
			<div class="code-line">
				<code>{secret}</code>
				<CopyButton text={secret} what={what} isLabelled />
			</div>
		</Dialog>
	);
}
