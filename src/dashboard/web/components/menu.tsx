/** A button that opens a small panel beside itself; Escape and a click elsewhere close it. */

import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface Props {
	label: ComponentChildren;
	/** The button's name where `label` alone does not tell. */
	name?: string;
	buttonClass?: string;
	children: ComponentChildren;
}

export function Menu({ label, name, buttonClass = 'button', children }: Props) {
	const element = useRef<HTMLDetailsElement>(null);
	// What is inside is drawn when it is wanted: a browser takes 5 ms to make one field for a date.
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
