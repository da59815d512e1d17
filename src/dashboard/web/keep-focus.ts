/** Keeps the focus near where it was when what has it is taken away, so that keyboard and screen reader go on from there. */

/** The element that had the focus or was pressed last, and all that it is in, from the inside out. */
let path: HTMLElement[] = [];

function note({ target }: Event): void {
	path = [];
	for (let at = target as HTMLElement | null; at; at = at.parentElement) path.push(at);
}

function restore(): void {
	if (document.activeElement !== document.body || path[0]?.isConnected !== false) return;
	const place = path.find((at) => at.isConnected && at.matches('main *, dialog *')) ?? document.querySelector('main');
	if (!place) return;
	place.tabIndex = -1;
	place.focus({ preventScroll: true });
}

/** Starts to watch what is removed. */
export function keepFocus(): void {
	addEventListener('pointerdown', note);
	addEventListener('focusin', note);
	new MutationObserver(restore).observe(document.body, { childList: true, subtree: true });
}
