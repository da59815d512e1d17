/** A modal dialog: the platform's own, so that focus stays inside and Escape closes it. */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { IconButton } from './icon-button.tsx';

interface Props {
	title: string;
	children: ComponentChildren;
	/** The buttons at the bottom. */
	actions?: ComponentChildren;
	isWide?: boolean;
	onClose: () => void;
}

export function Dialog({ title, children, actions, isWide, onClose }: Props) {
	const element = useRef<HTMLDialogElement>(null);
	const heading = useRef<HTMLHeadingElement>(null);
	const titleId = useId();
	useLayoutEffect(() => {
		const dialog = element.current;
		const before = document.activeElement;
		dialog?.showModal();
		if (!dialog?.querySelector('[autofocus]')) heading.current?.focus();
		return () => {
			dialog?.close();
			if (before instanceof HTMLElement && before.isConnected) before.focus();
		};
	}, []);
	const closeOnBackdrop = (event: MouseEvent) => {
		if (event.target === element.current) onClose();
	};
	return (
		<dialog
			ref={element}
			class={isWide ? 'dialog wide' : 'dialog'}
			aria-labelledby={titleId}
			onCancel={(event) => {
				event.preventDefault();
				onClose();
			}}
			onMouseDown={closeOnBackdrop}
		>
			<div class="dialog-body">
				<header class="dialog-head">
					<h2 id={titleId} ref={heading} tabIndex={-1}>
						{title}
					</h2>
					<IconButton icon="x" label="Close" onClick={onClose} />
				</header>
				<div class="dialog-content">{children}</div>
				{actions && <footer class="dialog-foot">{actions}</footer>}
			</div>
		</dialog>
	);
}
