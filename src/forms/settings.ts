/**
 * Every setting of a form once: its kind, check, words and example, from which the API, the command line and the dashboard
 * follow. Pure, for browsers too.
 */

import { UNKNOWN_FIELDS, type UnknownFields } from '../field-rules/rules.ts';
import { ALIAS_NAMES, ALIASES, type AliasName } from '../form-values/aliases.ts';
import { CAPTCHAS, type Captcha } from '../form-values/captchas.ts';
import { ADDRESSES_MAX, DEFAULT_NOTIFICATION } from '../form-values/notification-rules.ts';
import { VIEW_NAME_MAX, VIEW_QUERY_MAX, VIEWS_MAX } from '../form-values/saved-views.ts';
import { characterCount } from '../text/character-count.ts';
import { mapNames } from '../text/map-names.ts';
import { isTimeZone } from '../text/time-zone.ts';
import { normalizeDomain } from './allowed-domains.ts';
import { choice, choices, optionalChoice } from './kinds/choice.ts';
import { context } from './kinds/context.ts';
import { fields } from './kinds/fields.ts';
import { files } from './kinds/files.ts';
import { list } from './kinds/list.ts';
import { routes } from './kinds/mail-routes.ts';
import { notification } from './kinds/notification.ts';
import { retention } from './kinds/retention.ts';
import { toggle } from './kinds/scalar.ts';
import type { Setting } from './kinds/setting.ts';
import { spam } from './kinds/spam.ts';
import { mailboxes, optionalText, text } from './kinds/text.ts';
import { VIEW_PARAMETERS, views } from './kinds/views.ts';
import { parseRedirectUrl, URL_MAX } from './redirect-url.ts';
import { isSlug, SLUG_MAX } from './slug.ts';
import { VISITOR_SETTINGS } from './visitor-settings.ts';

/** In characters. */
export const NAME_MAX = 200;
const DOMAINS_MAX = 50;

const SETTINGS = {
	name: text({
		check: checkName,
		code: 'INVALID_NAME',
		error: `name must have 1 to ${NAME_MAX} characters.`,
		description: `1 to ${NAME_MAX} characters.`,
		example: 'Contact',
		isRequired: true,
		maxLength: NAME_MAX,
		group: 'form',
		label: 'Name',
		option: { flags: '--name <text>', update: 'Another name' },
	}),
	slug: text({
		check: checkSlug,
		code: 'INVALID_SLUG',
		error: `slug must be 1 to ${SLUG_MAX} of the letters a–z, digits and hyphens, and begin and end with a letter or digit.`,
		description: `The public name in the submission address: lower-case letters, digits and hyphens, up to ${SLUG_MAX}. \`null\`: made from the name.`,
		example: 'contact-k3v9x2qm',
		group: 'form',
		label: 'Address',
		isMono: true,
		option: {
			flags: '--slug <slug>',
			create: 'Its public name in the submission address (default: made from the name)',
			update: 'Another public name; the old one leads here too, until another form takes it',
		},
	}),
	isActive: toggle({
		description: 'An inactive form rejects submissions with 403.',
		example: true,
		group: 'form',
		label: 'Accept submissions',
		hint: 'A paused form rejects submissions, and keeps those it has.',
		option: { flags: '--active <true|false>', update: 'Whether it accepts submissions' },
	}),
	notificationEmail: mailboxes({
		max: ADDRESSES_MAX,
		code: 'INVALID_EMAIL',
		error: `notificationEmail must be an e-mail address such as ada@example.com or Ada <ada@example.com>, or up to ${ADDRESSES_MAX} of them separated by commas; a name with punctuation stands in quotes.`,
		description: `One address, or up to ${ADDRESSES_MAX}: a text with commas between them, or a list. Each may have a name, as in \`Ada <ada@example.com>\`; one with punctuation stands in quotes. It is returned as a text.`,
		example: 'you@example.com',
		group: 'notifications',
		label: 'Notify by e-mail',
		placeholder: 'you@example.com',
		hint: 'One address, or up to ten separated by commas, also as Ada <ada@example.com>. Leave it empty for no mails.',
		option: {
			flags: '--notification-email <addresses>',
			help: 'Who is notified of submissions; up to ten addresses, separated by commas',
		},
	}),
	notification: notification({
		description:
			'The mails of submissions. `to` is `notificationEmail`; with `cc` and `bcc` up to 10 addresses, written as there. `subject`, one line of ' +
			'up to 200 characters, and `intro`, a text of up to 2,000 above the fields, may have `{{field}}` and `{{form.name}}`; `fields` are `all`, or the ' +
			'names of those that a mail shows. `replyTo` is an address, or the name of the field that has it; `fromName`, up to 100 characters, the name ' +
			'beside the address of the server. What is left out takes its default, and `to` stays. `null`: no mails.',
		example: { to: 'you@example.com', ...DEFAULT_NOTIFICATION, subject: '{{form.name}}: {{name}}' },
		group: 'notifications',
		label: 'Mails',
		hint: 'In subject and text, {{name}} stands for the field of that name and {{form.name}} for the name of the form.',
		option: {
			flags: '--notification <mails>',
			help: 'What mails say and who else gets them, as JSON or @FILE, such as {"subject":"{{form.name}}: {{name}}"}',
		},
	}),
	routes: routes({
		description:
			'Up to 10 routes of mails: if all conditions in `where`, up to 5, hold, the mail goes to `to` in place of `notificationEmail`. ' +
			'All routes that match count; without one it goes to `notificationEmail`. In all up to 20 addresses.',
		example: [{ where: [{ field: 'topic', is: 'Sales' }], to: 'sales@example.com' }],
		group: 'notifications',
		label: 'Routes',
		hint: 'By its fields, a submission goes to other addresses. If several routes match, all of them get it; if none does, the addresses above.',
		option: {
			flags: '--routes <routes>',
			help: 'Other addresses by the fields of a submission, as JSON or @FILE',
		},
	}),
	timeZone: optionalText({
		check: (zone) => (isTimeZone(zone.trim()) ? zone.trim() : undefined),
		code: 'INVALID_TIME_ZONE',
		error: 'timeZone must be the name of a time zone such as Europe/Berlin, or UTC.',
		description:
			'The time zone of moments in its mails, and of when it opens, such as `Europe/Berlin`. `null`: that of the server, `FORMSRV_TIME_ZONE`.',
		example: null,
		group: 'notifications',
		label: 'Time zone of mails',
		placeholder: 'Europe/Berlin',
		hint: 'Visitors are told in it when the form opens, too. Empty: that of the server.',
		option: { flags: '--time-zone <zone>', help: 'The time zone of moments in its mails, such as Europe/Berlin' },
	}),
	redirectUrl: optionalText({
		check: checkRedirectUrl,
		code: 'INVALID_URL',
		error: `redirectUrl must be an absolute http or https address of at most ${URL_MAX} characters, without user name.`,
		description: 'Where a browser is sent after a submission; absolute http(s).',
		example: null,
		group: 'visitors',
		label: 'Redirect after submission',
		input: 'url',
		placeholder: 'https://example.com/thanks',
		hint: 'Without one, visitors see a plain thank-you page.',
		option: { flags: '--redirect-url <url>', help: 'Where a browser is sent after a submission' },
	}),
	allowedDomains: list({
		maxEntries: DOMAINS_MAX,
		check: normalizeDomain,
		code: 'INVALID_DOMAIN',
		error: 'allowedDomains must be a domain such as example.com, or localhost:3000.',
		description: `Up to ${DOMAINS_MAX} domains whose pages may post; each covers its subdomains. Empty: any page.`,
		example: ['example.com'],
		group: 'spam',
		label: 'Allowed domains',
		placeholder: 'example.com\nlocalhost',
		hint: 'One per line, subdomains included. Empty: any website may post. This stops other websites, not programs.',
		isMono: true,
		option: {
			flags: '--allowed-domains <domains>',
			help: 'Whose pages may post, separated by commas (default: any)',
		},
	}),
	captcha: optionalChoice<Captcha>({
		choices: CAPTCHAS,
		isAllowed: (captcha, { captchas }) => captchas.has(captcha),
		code: 'CAPTCHA_NOT_CONFIGURED',
		error: (captcha) => `captcha "${captcha}" needs the server setting FORMSRV_${captcha.toUpperCase()}_SECRET.`,
		description: 'The captcha that a submission must pass.',
		example: null,
		group: 'spam',
		label: 'Captcha',
		none: 'None: the honeypot only',
		hint: 'Its secret is a setting of the server; the Connect page then includes the widget.',
		option: { flags: '--captcha <vendor>', help: 'The captcha that a submission must pass' },
	}),
	spam: spam({
		description:
			'When a submission is spam: from a score of `threshold` on, 1 to 10 (`null`: only if a rule decides it alone), or if a field ' +
			'named in `honeypot`, up to five, is filled in. What is left out takes its default, as does all with `null`.',
		example: { threshold: 5, honeypot: ['_gotcha'] },
		group: 'spam',
		label: 'Spam',
		hint: 'Submissions with at least this many points go to spam; each one shows which rules gave them.',
		option: {
			flags: '--spam <settings>',
			help: 'From how many points on a submission is spam, or "off", and the honeypots, as "5,_gotcha"',
		},
	}),
	files: files({
		description:
			'Files that visitors may attach: up to 20 per submission, bytes of one file (also written as `10MiB`), and types such as ' +
			'`image/*`, `application/pdf` or `.docx`, any if there are none; held against the content. A submission with another file is rejected, ' +
			'or with `onRefused: "drop"` stored without it. What is left out takes its default. `null`: no files.',
		example: { maxFiles: 5, maxBytes: 10_485_760, types: [], onRefused: 'refuse' },
		group: 'files',
		label: 'Files',
		hint: 'Visitors attach them with <input type="file">. Without this, a submission with a file is rejected.',
		option: {
			flags: '--files <rules>',
			help: 'Files that visitors may attach: how many, how large each, which types, as "5,10MiB,image/*,.pdf"; with "drop", others are left out',
		},
	}),
	attachFiles: toggle({
		description:
			'Whether mails carry the attached files, up to 10 MiB in all; otherwise they name them. With a virus scanner only what it ' +
			'found clean. To switch it on takes the permission to read as well.',
		example: false,
		group: 'notifications',
		label: 'Send files by mail',
		hint: 'Up to 10 MiB in a mail; larger ones are named only. Mails always name the files and link to the submission.',
		option: { flags: '--attach-files <true|false>', help: 'Whether mails carry the attached files' },
	}),
	...VISITOR_SETTINGS,
	fields: fields({
		description:
			'Rules for the fields of submissions, up to 100; a submission that breaks one is rejected with 400, which names every ' +
			'field at fault. `null`: anything goes. To make a field of a form `unique` takes the permission to read as well.',
		example: [{ name: 'email', type: 'email', label: 'Your e-mail', required: true }],
		group: 'rules',
		label: 'Field rules',
		hint: 'Rules for the fields, like the HTML attributes of the same names. Submissions that break a rule are rejected, and the visitor is told why.',
		option: {
			flags: '--fields <rules>',
			help: 'Rules for the fields, as JSON or @FILE; see formsrv forms suggest-fields',
		},
	}),
	unknownFields: choice<UnknownFields>({
		choices: UNKNOWN_FIELDS,
		description: 'What happens to fields without a rule, if the form has any rules.',
		example: 'keep',
		group: 'rules',
		label: 'Fields without a rule',
		option: { flags: '--unknown-fields <what>', help: 'What happens to fields without a rule' },
	}),
	context: context({
		description:
			'What is kept of each submission beside its fields, in `meta`: `page`, the address of the page without its query; `utm`, the ' +
			'`utm_…` parameters of that; `address`, the `network` (/24, /48) or the `full` address of the client, or `none`; `agent`, the ' +
			'name of its browser. What is left out is off; `null`: nothing.',
		example: null,
		group: 'privacy',
		label: 'Context',
		hint: 'Kept beside the fields of new submissions. It is personal data: say so in your privacy notice.',
		option: {
			flags: '--context <parts>',
			help: 'What is kept beside the fields: any of page, utm, address:network, address:full, agent (default: nothing)',
		},
	}),
	retention: retention({
		description:
			'How long submissions are kept, in days from 1 to 3650: `days` for all, `spamDays` for spam and `filesDays` for attached files if ' +
			'they go earlier. What is older is deleted for good, about once an hour. `null`: for ever. To change it takes the permission to delete as well.',
		example: null,
		group: 'privacy',
		label: 'Deletion by age',
		hint: 'Older submissions are deleted for good, files included. Empty: they are kept.',
		option: {
			flags: '--retention <days>',
			help: 'After how many days submissions are deleted, as "365" or "days:365,spamDays:30,filesDays:90"',
		},
	}),
	views: views({
		description:
			`Up to ${VIEWS_MAX} saved views of its inbox in the dashboard, each \`name\`, up to ${VIEW_NAME_MAX} characters, and \`query\`, up to ${VIEW_QUERY_MAX}, as in ` +
			`\`filter=unread&label=urgent\`, ` +
			`of: ${VIEW_PARAMETERS}. Only callers with the permission to read see them.`,
		example: [{ name: 'Urgent', query: 'filter=unread&label=urgent' }],
		group: 'advanced',
		label: 'Saved views',
		hint: 'The inbox has them in its menu “Views”, where the current one can be saved.',
		option: { flags: '--views <views>', help: 'Saved views of its inbox, as JSON or @FILE' },
	}),
	keptIn: optionalText({
		check: checkName,
		code: 'INVALID_NAME',
		error: `keptIn must have 1 to ${NAME_MAX} characters.`,
		description:
			`The name of the file that its settings are kept in, up to ${NAME_MAX} characters, as \`formsrv apply\` sets it: other changes of them are overwritten by the ` +
			'next `apply`. `null`: none.',
		example: null,
		maxLength: NAME_MAX,
		group: 'advanced',
		label: 'Kept in a file',
		hint: 'The file from which “formsrv apply” sets all of these. Empty: it is kept here.',
		option: { flags: '--kept-in <name>', help: 'The file that its settings are kept in, which formsrv apply reads' },
	}),
	aliases: choices<AliasName>({
		choices: ALIASES,
		description:
			'Other services of which it understands the control fields, such as `_redirect` and `botcheck`, so that a page that posted ' +
			'there need not be changed but for the address; docs/migrating.md lists them. Without it they are ordinary fields.',
		example: [],
		group: 'advanced',
		label: 'Pages made for other services',
		hint: 'Their control fields work here as they did there, or are dropped.',
		option: {
			flags: '--aliases <services>',
			help: `Services of which it understands the control fields: ${ALIAS_NAMES.join(', ')}`,
		},
	}),
};

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
/** The union of all kinds, by `kind`. */
export type FormSetting = Settings[SettingName];

/** The settings of a form as they are stored and returned. */
export type FormSettings = { [K in SettingName]: Settings[K]['blank'] };

/** Some settings as a client sends them. */
export type FormInput = {
	[K in SettingName]?: Parameters<Settings[K]['check']>[0] | null;
};

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];
/** With the one type of all settings, for code that goes through them. */
export const FORM_SETTINGS: Record<SettingName, Setting<unknown>> = SETTINGS;
export const TELLING_SETTINGS = SETTING_NAMES.filter((name) => FORM_SETTINGS[name].isTelling);

/** An object with a member for each setting, which `memberOf` makes. */
export function mapSettings<T>(memberOf: (setting: Setting<unknown>, name: SettingName) => T): Record<SettingName, T> {
	return mapNames(SETTING_NAMES, (name) => memberOf(SETTINGS[name], name));
}

/** Only the settings of what may have other members too, in order. @param into Gets them, behind the members that it has */
export function pickSettings<Into extends object>(form: FormSettings, into = {} as Into): Into & FormSettings {
	const picked = into as Into & Record<SettingName, unknown>;
	for (const name of SETTING_NAMES) picked[name] = form[name] as (typeof picked)[SettingName];
	return picked as Into & FormSettings;
}

/** In place of those that a form-level key cannot read. */
export const BLANK_SETTINGS = mapSettings(({ blank }) => blank) as FormSettings;

function checkName(text: string): string | undefined {
	const name = text.trim();
	const length = characterCount(name);
	return length >= 1 && length <= NAME_MAX ? name : undefined;
}

function checkSlug(text: string): string | undefined {
	const slug = text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
	return isSlug(slug) ? slug : undefined;
}

function checkRedirectUrl(text: string): string | undefined {
	const url = text.trim();
	return parseRedirectUrl(url) ? url : undefined;
}
