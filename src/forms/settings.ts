/** Pure: a form's settings as they were sent, checked and brought to the shape they are stored in. */

import type { Captcha } from '../captchas.ts';
import { parseEmailList } from '../email-address.ts';
import { AppError, type FieldError } from '../errors.ts';
import { normalizeDomain } from './allowed-domains.ts';
import { DOMAINS_MAX, EMAILS_MAX, NAME_MAX, SLUG_MAX, URL_MAX } from './bounds.ts';
import { isRedirectUrl } from './redirect-url.ts';
import type { UpdateForm } from './schema.ts';
import { isSlug } from './slug.ts';

/** What of a form its owner sets; a member that is absent stays as it is. */
export interface FormSettings {
	name?: string;
	slug?: string;
	isActive?: boolean;
	notificationEmail?: string | null;
	redirectUrl?: string | null;
	allowedDomains?: string[];
	captcha?: Captcha | null;
}

/**
 * @param captchas The captchas that may be chosen.
 * @throws AppError VALIDATION_ERROR that names every field at fault.
 */
export function checkFormSettings(input: UpdateForm, captchas: ReadonlySet<Captcha | null>): FormSettings {
	const faults: FieldError[] = [];
	const fault = (field: string, code: string, message: string) => {
		faults.push({ field, code, message });
		return undefined;
	};
	const settings: FormSettings = {
		name: input.name === undefined ? undefined : checkName(input.name, fault),
		slug: input.slug === undefined ? undefined : checkSlug(input.slug, fault),
		isActive: input.isActive,
		notificationEmail: orNull(input.notificationEmail, (text) => checkEmails(text, fault)),
		redirectUrl: orNull(input.redirectUrl, (text) => checkRedirectUrl(text, fault)),
		allowedDomains: input.allowedDomains === null ? [] : checkDomains(input.allowedDomains, fault),
		captcha: orNull(input.captcha, (name) => checkCaptcha(name, { captchas, fault })),
	};
	const first = faults[0];
	if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields: faults });
	return settings;
}

type Fault = (field: string, code: string, message: string) => undefined;

/** `null` clears an optional setting. */
function orNull<T extends string>(
	value: T | null | undefined,
	check: (value: T) => T | undefined,
): T | null | undefined {
	return value === undefined || value === null ? value : check(value);
}

function checkName(text: string, fault: Fault): string | undefined {
	const name = text.trim();
	// Counted as people do, not in halves of an emoji.
	const { length } = Array.from(name);
	if (length >= 1 && length <= NAME_MAX) return name;
	return fault('name', 'INVALID_NAME', `name must have 1 to ${NAME_MAX} characters.`);
}

function checkSlug(text: string, fault: Fault): string | undefined {
	const slug = text.trim().toLowerCase();
	if (isSlug(slug)) return slug;
	return fault(
		'slug',
		'INVALID_SLUG',
		`slug must be 1 to ${SLUG_MAX} of the letters a–z, digits and hyphens, and begin and end with a letter or digit.`,
	);
}

function checkEmails(text: string, fault: Fault): string | undefined {
	const addresses = parseEmailList(text, EMAILS_MAX);
	if (addresses) return addresses.join(', ');
	return fault(
		'notificationEmail',
		'INVALID_EMAIL',
		`notificationEmail must be an e-mail address, or up to ${EMAILS_MAX} of them separated by commas.`,
	);
}

function checkRedirectUrl(text: string, fault: Fault): string | undefined {
	const url = text.trim();
	if (isRedirectUrl(url)) return url;
	return fault(
		'redirectUrl',
		'INVALID_URL',
		`redirectUrl must be an absolute http or https address of at most ${URL_MAX} characters, without user name.`,
	);
}

function checkDomains(entries: string[] | undefined, fault: Fault): string[] | undefined {
	if (entries === undefined) return undefined;
	if (entries.length > DOMAINS_MAX) {
		return fault('allowedDomains', 'TOO_MANY', `allowedDomains holds at most ${DOMAINS_MAX} entries.`);
	}
	const domains = entries.map((entry, i) => {
		const domain = normalizeDomain(entry);
		if (domain !== undefined) return domain;
		const message = `allowedDomains.${i} must be a domain such as example.com, or localhost:3000.`;
		return fault(`allowedDomains.${i}`, 'INVALID_DOMAIN', message);
	});
	return [...new Set(domains.filter((domain) => domain !== undefined))];
}

function checkCaptcha(
	name: Captcha,
	{ captchas, fault }: { captchas: ReadonlySet<Captcha | null>; fault: Fault },
): Captcha | undefined {
	if (captchas.has(name)) return name;
	const setting = `FORMSRV_${name.toUpperCase()}_SECRET`;
	return fault('captcha', 'CAPTCHA_NOT_CONFIGURED', `captcha "${name}" needs the server setting ${setting}.`);
}
