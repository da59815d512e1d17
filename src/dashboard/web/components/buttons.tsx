/** Buttons and links with a label or an icon. */

import type { ButtonHTMLAttributes } from 'preact';
import * as words from '../sentences/words.ts';
import { Icon, type IconName } from './icon.tsx';

interface ButtonProps extends Omit<ButtonHTMLAttributes, 'class' | 'icon' | 'label'> {
	label: string;
	icon?: IconName;
	/** Classes of `styles/controls.css`, such as `small` or `primary`. */
	look?: string;
}

export function Button({ label, icon, look, ...attributes }: ButtonProps) {
	return (
		<button type="button" class={look ? `button ${look}` : 'button'} {...attributes}>
			{icon && <Icon name={icon} />}
			{label}
		</button>
	);
}

interface FormFootProps {
	save: string;
	isBusy: boolean;
	/** True if there are changes to save or to discard. */
	isChanged: boolean;
	onDiscard: () => void;
}

/** Below inputs that are saved together. */
export function FormFoot({ save, isBusy, isChanged, onDiscard }: FormFootProps) {
	return (
		<div class="row wrap">
			<Button
				label={isBusy ? words.controls.saving : save}
				type="submit"
				look="primary"
				disabled={isBusy || !isChanged}
			/>
			{isChanged && <Button label={words.controls.discard} look="ghost" onClick={onDiscard} />}
		</div>
	);
}

interface IconProps {
	icon: IconName;
	/** Its accessible name. */
	label: string;
	/** The shortcut shown in the tooltip. */
	hotkey?: string;
}

interface IconButtonProps extends IconProps, Pick<ButtonHTMLAttributes, 'aria-pressed' | 'disabled' | 'onClick'> {
	isFilled?: boolean;
	tone?: 'danger' | 'star';
}

const named = ({ label, hotkey }: Omit<IconProps, 'icon'>) => ({
	'aria-label': label,
	title: hotkey ? `${label} (${hotkey})` : label,
});

export function IconButton({ icon, label, hotkey, isFilled, tone, ...native }: IconButtonProps) {
	const look = tone ? `icon-button ${tone}` : 'icon-button';
	return (
		<button type="button" class={look} {...named({ label, hotkey })} {...native}>
			<Icon name={icon} filled={isFilled} />
		</button>
	);
}

/** A link to a file that the browser saves. */
export function DownloadLink({ href, label, what }: { href: string; label: string; what: string }) {
	return (
		<a class="button small" href={href} download="" aria-label={`${label} ${what}`}>
			<Icon name="download" />
			{label}
		</a>
	);
}

export function IconLink({ icon, href, ...names }: IconProps & { href: string }) {
	return (
		<a class="icon-button" href={href} {...named(names)}>
			<Icon name={icon} />
		</a>
	);
}
