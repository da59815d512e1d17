/** An icon button with an accessible name. */

import { Icon, type IconName } from './icon.tsx';

interface Props {
	icon: IconName;
	label: string;
	/** The shortcut shown in the tooltip. */
	hotkey?: string;
	isFilled?: boolean;
	isPressed?: boolean;
	isDisabled?: boolean;
	tone?: 'danger' | 'star';
	onClick: (event: MouseEvent) => void;
}

export function IconButton({ icon, label, hotkey, isFilled, isPressed, isDisabled, tone, onClick }: Props) {
	return (
		<button
			type="button"
			class={tone ? `icon-button ${tone}` : 'icon-button'}
			aria-label={label}
			title={hotkey ? `${label} (${hotkey})` : label}
			aria-pressed={isPressed}
			disabled={isDisabled}
			onClick={onClick}
		>
			<Icon name={icon} filled={isFilled} />
		</button>
	);
}
