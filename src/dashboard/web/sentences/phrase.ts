/** A sentence with elements in it: phrase`Open ${<a href="…">it</a>} now.`, in the order that its language wants. */

import type { ComponentChildren } from 'preact';

export function phrase(texts: TemplateStringsArray, ...elements: ComponentChildren[]): ComponentChildren[] {
	return texts.flatMap((text, at) => [text, elements[at]]);
}
