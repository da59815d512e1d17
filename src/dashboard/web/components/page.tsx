/** A view without panes: a heading, a line under it, and one column of content. */

import type { ComponentChildren } from 'preact';
import { useTitle } from '../announce.ts';

interface Props {
	title: string;
	intro?: ComponentChildren;
	actions?: ComponentChildren;
	children: ComponentChildren;
}

export function Page({ title, intro, actions, children }: Props) {
	useTitle(title);
	return (
		<div class="page">
			<header class="page-head">
				<div>
					<h1>{title}</h1>
					{intro && <p class="muted">{intro}</p>}
				</div>
				{actions && <div class="page-actions">{actions}</div>}
			</header>
			{children}
		</div>
	);
}
