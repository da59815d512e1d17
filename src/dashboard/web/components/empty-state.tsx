/** The content of an empty view: what will appear here, and how. */

import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface Props {
	icon: IconName;
	title: string;
	children?: ComponentChildren;
}

export function EmptyState({ icon, title, children }: Props) {
	return (
		<div class="empty">
			<span class="empty-icon">
				<Icon name={icon} />
			</span>
			<h2>{title}</h2>
			{children}
		</div>
	);
}
