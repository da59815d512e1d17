/** A name with what it stands for, in a list of them. */

import type { ComponentChildren } from 'preact';

export function Term({ name, children }: { name: ComponentChildren; children: ComponentChildren }) {
	return (
		<div>
			<dt class="muted">{name}</dt>
			<dd class="break">{children}</dd>
		</div>
	);
}
