/** Resets the captcha widgets of a form after a request, because a token is valid only once. */

import { vendorWidgets } from '../../form-values/captchas.ts' with { type: 'macro' };

interface Widget extends HTMLElement {
	reset?: () => void;
}
type Vendor = { reset?: (widget?: string | number) => void };

export function renewCaptchas(plain: HTMLFormElement): void {
	const resets = vendorWidgets().map(({ global, field }) => () => {
		const vendor = (globalThis as unknown as Record<string, Vendor | undefined>)[global];
		vendor?.reset?.(widgetIn(plain, field));
	});
	for (const reset of [() => plain.querySelector<Widget>('altcha-widget')?.reset?.(), ...resets]) {
		try {
			reset();
		} catch {
			// A vendor's script without a widget on this page.
		}
	}
}

/**
 * Returns its id, which is in that of its input: `g-recaptcha-response` and, for a second one, `g-recaptcha-response-1`; `h-captcha-response-WIDGET`;
 * `cf-chl-widget-WIDGET_response`. Without it vendors reset the first widget of the page.
 */
function widgetIn(plain: HTMLFormElement, field: string): string | number | undefined {
	const id = plain.querySelector(`[name="${field}"]`)?.id.replace(/^[gh]-\w+-response-?|_response$/g, '');
	return id && /^\d+$/.test(id) ? Number(id) : id || undefined;
}
