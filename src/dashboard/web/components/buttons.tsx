/** Buttons and links with a label or an icon. */

import type { ButtonHTMLAttributes } from 'preact';
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

interface IconProps {
	icon: IconName;
	/** Its accessible name. */
	label: string;
	/** The shortcut shown in the tooltip. */
	hotkey?: string;
}

interface IconButtonProps extends IconProps {
	isFilled?: boolean;
	isPressed?: boolean;
	isDisabled?: boolean;
	tone?: 'danger' | 'star';
	onClick: (event: MouseEvent) => void;
}

const named = ({ label, hotkey }: IconProps) => ({
	'aria-label': label,
	title: hotkey ? `${label} (${hotkey})` : label,
});

export function IconButton({ isFilled, isPressed, isDisabled, tone, onClick, ...props }: IconButtonProps) {
	return (
		<button
			type="button"
			class={tone ? `icon-button ${tone}` : 'icon-button'}
			aria-pressed={isPressed}
			disabled={isDisabled}
			onClick={onClick}
			{...named(props)}
		>
			<Icon name={props.icon} filled={isFilled} />
		</button>
	);
}

export function IconLink({ href, ...props }: IconProps & { href: string }) {
	return (
		<a class="icon-button" href={href} {...named(props)}>
			<Icon name={props.icon} />
		</a>
	);
}
