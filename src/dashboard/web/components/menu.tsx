/** A button that opens a small panel beside itself; Escape and a click elsewhere close it. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
	label: ComponentChildren;
	/** The accessible name, where `label` is not enough. */
	name?: string;
	buttonClass?: string;
	children: ComponentChildren;
}

export function Menu({ label, name, buttonClass = 'button', children }: Props) {
	const element = useRef<HTMLDetailsElement>(null);
	// The content is rendered when opened: a browser takes 5 ms to create one date input.
	const [isOpen, setOpen] = useState(false);
	useEffect(() => {
		const closeOutside = (event: Event) => {
			const details = element.current;
			if (details?.open && !details.contains(event.target as Node)) details.open = false;
		};
		addEventListener('pointerdown', closeOutside);
		addEventListener('focusin', closeOutside);
		return () => {
			removeEventListener('pointerdown', closeOutside);
			removeEventListener('focusin', closeOutside);
		};
	}, []);
	const closeOnEscape = (event: KeyboardEvent) => {
		const details = element.current;
		if (event.key !== 'Escape' || !details?.open) return;
		event.preventDefault();
		details.open = false;
		details.querySelector('summary')?.focus();
	};
	return (
		<details
			ref={element}
			class="menu"
			onToggle={(event) => setOpen(event.currentTarget.open)}
			onKeyDown={closeOnEscape}
		>
			<summary class={buttonClass} aria-label={name}>
				{label}
			</summary>
			<div class="menu-panel">{isOpen && children}</div>
		</details>
	);
}
