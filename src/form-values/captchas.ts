/** Every captcha once: its widget on a page, the field of its token, and where a vendor verifies that. Pure, for browsers too. */

interface Description {
	/** As people know it. */
	label: string;
	/** The field of a submission in which its widget sends the token. */
	field: string;
	/** The vendor's script, which a page needs, and the class of the element that it turns into the widget. */
	script?: string;
	widgetClass?: string;
	/** Where the vendor verifies a token; absent if this server does. It gives the vendor two settings: this, and a secret. */
	verifyUrl?: string;
	/** The object that the vendor's script adds to a page. */
	global?: string;
}

export const CAPTCHAS = {
	recaptcha: {
		label: 'reCAPTCHA',
		field: 'g-recaptcha-response',
		script: 'https://www.google.com/recaptcha/api.js',
		widgetClass: 'g-recaptcha',
		verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
		global: 'grecaptcha',
	},
	hcaptcha: {
		label: 'hCaptcha',
		field: 'h-captcha-response',
		script: 'https://js.hcaptcha.com/1/api.js',
		widgetClass: 'h-captcha',
		verifyUrl: 'https://api.hcaptcha.com/siteverify',
		global: 'hcaptcha',
	},
	turnstile: {
		label: 'Cloudflare Turnstile',
		field: 'cf-turnstile-response',
		script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
		widgetClass: 'cf-turnstile',
		verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
		global: 'turnstile',
	},
	altcha: {
		label: 'ALTCHA',
		field: 'altcha',
	},
} satisfies Record<string, Description>;

export type Captcha = keyof typeof CAPTCHAS;
/** A captcha whose tokens a vendor verifies. */
export type CaptchaVendor = {
	[C in Captcha]: (typeof CAPTCHAS)[C] extends { verifyUrl: string } ? C : never;
}[Captcha];

export const CAPTCHA_NAMES = Object.keys(CAPTCHAS) as [Captcha, ...Captcha[]];
export const CAPTCHA_VENDORS = CAPTCHA_NAMES.filter((name): name is CaptchaVendor => 'verifyUrl' in CAPTCHAS[name]);

/** The widget in a form. The site key is the owner's: the server knows only the secret. @param address Of the form. */
export function captchaMarkup(captcha: Captcha, address: string): string {
	if (captcha === 'altcha') return `<altcha-widget challenge="${address}/challenge"></altcha-widget>`;
	return `<div class="${CAPTCHAS[captcha].widgetClass}" data-sitekey="YOUR_SITE_KEY"></div>`;
}

/** The address of the widget's script. @param server The address of the submit listener. */
export function captchaScript(captcha: Captcha, server: string): string {
	return captcha === 'altcha' ? `${server}/altcha.js` : CAPTCHAS[captcha].script;
}

/**
 * Returns, for each vendor, the object that its script adds to a page, and the field whose input its widget adds to a form. A function, so
 * that a bundle can hold its result alone.
 */
export function vendorWidgets(): { global: string; field: string }[] {
	return CAPTCHA_VENDORS.map((name) => ({ global: CAPTCHAS[name].global, field: CAPTCHAS[name].field }));
}
