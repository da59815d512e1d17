/** Copies a text and confirms it. */

import { useEffect, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import { showToast } from '../state/toasts.ts';
import { Icon } from './icon.tsx';

interface Props {
	text: string;
	/** The object in the button's accessible name. */
	what: string;
	/** Shows a label beside the icon. */
	isLabelled?: boolean;
}

const SHOWN_MS = 1600;

/** Browsers offer the clipboard API only over https and on localhost; `execCommand` works elsewhere. */
async function copy(text: string): Promise<void> {
	if (navigator.clipboard) return navigator.clipboard.writeText(text);
	const area = document.createElement('textarea');
	area.value = text;
	(document.querySelector('dialog[open]') ?? document.body).append(area);
	area.select();
	const isCopied = document.execCommand('copy');
	area.remove();
	if (!isCopied) throw new Error('Copying is not possible here. Please select the text and copy it.');
}

export function CopyButton({ text, what, isLabelled }: Props) {
	const [isCopied, setCopied] = useState(false);
	useEffect(() => {
		if (!isCopied) return;
		const timer = setTimeout(() => setCopied(false), SHOWN_MS);
		return () => clearTimeout(timer);
	}, [isCopied]);
	const run = async () => {
		try {
			await copy(text);
			setCopied(true);
			announce(`Copied ${what}.`);
		} catch (error) {
			showToast(error instanceof Error ? error.message : 'Copying did not work.', { tone: 'danger' });
		}
	};
	const label = `Copy ${what}`;
	return (
		<button
			type="button"
			class={isLabelled ? 'button small' : 'icon-button'}
			aria-label={label}
			title={label}
			onClick={run}
		>
			<Icon name={isCopied ? 'check' : 'copy'} />
			{isLabelled && <span>{isCopied ? 'Copied' : 'Copy'}</span>}
		</button>
	);
}
