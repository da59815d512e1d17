/** Modal dialogs: the platform's own, so that focus stays inside and Escape closes them. */

import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as words from '../sentences/words.ts';
import { type Action, useAction } from '../use-action.ts';
import { Button, IconButton } from './buttons.tsx';
import { CodeLine } from './code.tsx';
import { Field } from './inputs.tsx';
import { ActionFailure } from './messages.tsx';

interface Props {
	title: string;
	/** It opens with what was typed before. */
	wasTyped?: boolean;
	children: ComponentChildren;
	onClose: () => void;
}

interface DialogProps extends Props {
	/** The buttons at the bottom. */
	actions?: ComponentChildren;
	isWide?: boolean;
	/** It closes by its buttons alone: what it shows is shown once. */
	isHeld?: boolean;
}

/** Typed text is not lost by a click beside it, and by Escape only after a question. */
export function Dialog({ title, wasTyped, children, actions, isWide, isHeld = false, onClose }: DialogProps) {
	const element = useRef<HTMLDialogElement>(null);
	const heading = useRef<HTMLHeadingElement>(null);
	const titleId = useId();
	useLayoutEffect(() => {
		const dialog = element.current;
		dialog?.showModal();
		if (!dialog?.querySelector('[autofocus]')) heading.current?.focus();
		// It gives the focus back.
		return () => dialog?.close();
	}, []);
	const [isTyped, setTyped] = useState(wasTyped);
	const [isAsking, setAsking] = useState(false);
	const cancel = () => {
		if (isTyped) setAsking(true);
		else if (!isHeld) onClose();
	};
	return (
		<dialog
			ref={element}
			class={isWide ? 'dialog wide' : 'dialog'}
			aria-labelledby={titleId}
			onCancel={(event) => {
				event.preventDefault();
				cancel();
			}}
			// A browser closes it at a second Escape without asking.
			onClose={({ currentTarget }) => currentTarget.isConnected && currentTarget.showModal()}
			onInput={() => setTyped(true)}
			onMouseDown={({ target }) => target === element.current && !isTyped && cancel()}
		>
			<div class="dialog-body">
				<header class="dialog-head spread">
					<h2 id={titleId} ref={heading} tabIndex={-1}>
						{title}
					</h2>
					<IconButton icon="x" label={words.controls.close} onClick={onClose} />
				</header>
				<div class="dialog-content stack">{children}</div>
				{actions && <footer class="dialog-foot row wrap">{actions}</footer>}
			</div>
			{isAsking && (
				<ConfirmDialog
					title={words.controls.discardQuestion}
					verb={words.controls.discard}
					onConfirm={async () => onClose()}
					onClose={() => setAsking(false)}
				>
					<p>{words.controls.discardWarning}</p>
				</ConfirmDialog>
			)}
		</dialog>
	);
}

interface FormDialogProps extends Props {
	/** The label of the button that submits. */
	verb: string;
	look?: 'primary' | 'danger';
	/** False while something is missing. */
	isReady?: boolean;
	action: Action;
}

/** A form that is a dialog; its inputs show the errors of single fields. */
export function FormDialog({ verb, look = 'primary', isReady = true, action, children, ...props }: FormDialogProps) {
	const canRun = isReady && !action.isBusy;
	return (
		<Dialog {...props}>
			<form class="stack" onSubmit={(event) => (canRun ? action.run(event) : event.preventDefault())} noValidate>
				{children}
				<ActionFailure error={action.error} />
				<div class="dialog-foot row wrap">
					<Button label={words.controls.cancel} onClick={props.onClose} />
					<Button type="submit" label={verb} look={look} disabled={!canRun} />
				</div>
			</form>
		</Dialog>
	);
}

interface ConfirmDialogProps extends Props {
	/** The label of the button. */
	verb: string;
	/** Text that enables the button once it is typed. */
	typed?: string;
	onConfirm: () => Promise<unknown>;
}

/** Confirms an action that cannot be undone. */
export function ConfirmDialog({ children, typed, onConfirm, ...props }: ConfirmDialogProps) {
	const [text, setText] = useState('');
	const action = useAction(() => onConfirm().then(props.onClose));
	const isReady = typed === undefined || text.trim() === typed.trim();
	return (
		<FormDialog {...props} look="danger" isReady={isReady} action={action}>
			{children}
			{typed !== undefined && (
				// Not to be kept: the dialog is to hear nothing of it.
				<div onInput={(event) => event.stopPropagation()}>
					<Field label={words.controls.typeToConfirm(typed)} value={text} onInput={setText} autoFocus />
				</div>
			)}
		</FormDialog>
	);
}

/** Shows a secret, once. */
export function SecretDialog({ children, secret, what, ...props }: Props & { secret: string; what: string }) {
	return (
		<Dialog {...props} isHeld actions={<Button look="primary" label={words.controls.stored} onClick={props.onClose} />}>
			{children}
			<CodeLine text={secret} what={what} isLabelled />
		</Dialog>
	);
}
