/** Code and other text to read exactly or to copy. */

import { useEffect, useState } from 'preact/hooks';
import { announce } from '../announce.ts';
import * as words from '../sentences/words.ts';
import { showError } from '../state/toasts.ts';
import { Button, IconButton } from './buttons.tsx';

/** Preformatted text that scrolls sideways, by keyboard too. */
export function CodeBlock({ text, name }: { text: string; name: string }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section class="code" tabIndex={0} aria-label={name}>
			<pre>{text}</pre>
		</section>
	);
}

/** One line with a button that copies it. */
export function CodeLine(props: CopyProps) {
	return (
		<div class="code-line row">
			<code>{props.text}</code>
			<CopyButton {...props} />
		</div>
	);
}

interface CopyProps {
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
	if (!isCopied) throw new Error(words.controls.cannotCopy);
}

/** Copies a text and confirms it. */
export function CopyButton({ text, what, isLabelled }: CopyProps) {
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
			announce(words.controls.copied(what));
		} catch (error) {
			showError(error);
		}
	};
	const name = words.controls.copyOf(what);
	const icon = isCopied ? 'check' : 'copy';
	if (!isLabelled) return <IconButton icon={icon} label={name} onClick={run} />;
	const label = isCopied ? words.controls.isCopied : words.controls.copyIt;
	return <Button look="small" icon={icon} label={label} aria-label={name} title={name} onClick={run} />;
}
