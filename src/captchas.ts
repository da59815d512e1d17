/** Every captcha once: its widget on a page, the field of its token, and where a vendor verifies that. Pure, for browsers too. */

interface Description {
	/** As people know it. */
	label: string;
	/** The field of a submission in which its widget sends the token. */
	field: string;
	/** What a page needs. */
	script: string;
	widget: string;
	/** Where the vendor verifies a token; absent if this server does. It gives the vendor two settings: this, and a secret. */
	verifyUrl?: string;
	/** The object that the vendor's script adds to a page. */
	global?: string;
}

export const CAPTCHAS = {
	recaptcha: {
		label: 'reCAPTCHA',
		field: 'g-recaptcha-response',
		script: '<script src="https://www.google.com/recaptcha/api.js" async defer></script>',
		widget: '<div class="g-recaptcha" data-sitekey="YOUR_SITE_KEY"></div>',
		verifyUrl: 'https://www.google.com/recaptcha/api/siteverify',
		global: 'grecaptcha',
	},
	hcaptcha: {
		label: 'hCaptcha',
		field: 'h-captcha-response',
		script: '<script src="https://js.hcaptcha.com/1/api.js" async defer></script>',
		widget: '<div class="h-captcha" data-sitekey="YOUR_SITE_KEY"></div>',
		verifyUrl: 'https://api.hcaptcha.com/siteverify',
		global: 'hcaptcha',
	},
	turnstile: {
		label: 'Cloudflare Turnstile',
		field: 'cf-turnstile-response',
		script: '<script src="https://challenges.cloudflare.com/turnstile/v0/api.js" async defer></script>',
		widget: '<div class="cf-turnstile" data-sitekey="YOUR_SITE_KEY"></div>',
		verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
		global: 'turnstile',
	},
	altcha: {
		label: 'ALTCHA',
		field: 'altcha',
		script: '<script src="YOUR_COPY_OF/altcha.min.js" async defer type="module"></script>',
		widget: '<altcha-widget challengeurl="YOUR_CHALLENGE_URL"></altcha-widget>',
	},
} satisfies Record<string, Description>;

export type Captcha = keyof typeof CAPTCHAS;
/** A captcha whose tokens a vendor verifies. */
export type CaptchaVendor = {
	[C in Captcha]: (typeof CAPTCHAS)[C] extends { verifyUrl: string } ? C : never;
}[Captcha];

export const CAPTCHA_NAMES = Object.keys(CAPTCHAS) as [Captcha, ...Captcha[]];
export const CAPTCHA_VENDORS = CAPTCHA_NAMES.filter((name): name is CaptchaVendor => 'verifyUrl' in CAPTCHAS[name]);

/** The objects that vendors' scripts add to a page. A function, so that a bundle can hold its result alone. */
export function widgetGlobals(): string[] {
	return CAPTCHA_VENDORS.map((name) => CAPTCHAS[name].global);
}
