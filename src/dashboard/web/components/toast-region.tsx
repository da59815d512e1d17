/** The stack of toasts; none expires while one is hovered or focused. */

import { useEffect, useState } from 'preact/hooks';
import * as words from '../sentences/words.ts';
import { dismissToast, type Toast, takeAction, toasts } from '../state/toasts.ts';
import { IconButton } from './buttons.tsx';

function ToastCard({ toast }: { toast: Toast }) {
	const [isHeld, setHeld] = useState(false);
	useEffect(() => {
		if (isHeld) return;
		const timer = setTimeout(() => void dismissToast(toast.id), toast.lifeMs);
		return () => clearTimeout(timer);
	}, [isHeld, toast.id, toast.lifeMs]);
	return (
		// biome-ignore lint/a11y/noStaticElementInteractions: hovering only pauses the timer
		<div
			class={`toast row wrap ${toast.tone}`}
			onMouseEnter={() => setHeld(true)}
			onMouseLeave={() => setHeld(false)}
			onFocusIn={() => setHeld(true)}
			onFocusOut={() => setHeld(false)}
		>
			<p>{toast.text}</p>
			{toast.actions.map((action) => (
				<button type="button" key={action.label} class="toast-action" onClick={() => takeAction(toast, action)}>
					{action.label}
				</button>
			))}
			<IconButton icon="x" label={words.controls.dismiss} onClick={() => void dismissToast(toast.id)} />
		</div>
	);
}

export function ToastRegion() {
	return (
		<section class="toasts stack" aria-label={words.controls.messages} aria-live="polite">
			{toasts.value.map((toast) => (
				<ToastCard key={toast.id} toast={toast} />
			))}
		</section>
	);
}
