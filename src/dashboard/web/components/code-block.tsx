/** Preformatted text that scrolls sideways, by keyboard too. */

export function CodeBlock({ text, name }: { text: string; name: string }) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
		<section class="code" tabIndex={0} aria-label={name}>
			<pre>{text}</pre>
		</section>
	);
}
