/** Resets the captcha widgets of a page after a request, because a token is valid only once. */

import { widgetGlobals } from '../../form-values/captchas.ts' with { type: 'macro' };

interface Resettable {
	reset?: () => void;
}

export function renewCaptchas(plain: HTMLFormElement): void {
	const vendors = widgetGlobals().map(
		(name) => (globalThis as unknown as Record<string, Resettable | undefined>)[name],
	);
	for (const widget of [plain.querySelector<HTMLElement & Resettable>('altcha-widget'), ...vendors]) {
		try {
			widget?.reset?.();
		} catch {
			// A vendor's script without a widget on this page.
		}
	}
}
