/** What is shown where there is nothing yet: what belongs here and how it comes. */

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
