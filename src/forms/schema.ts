/** The wire shapes of forms, and the bounds of their fields. */

import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { CAPTCHA_NAMES } from '../captchas.ts';
import { nullable, stringEnum } from '../http/schema-types.ts';
import { MODES } from '../storage/tables.ts';
import { DOMAINS_MAX, EMAILS_MAX, NAME_MAX, SLUG_MAX } from './bounds.ts';

const CaptchaName = stringEnum(CAPTCHA_NAMES);
const Name = Type.String({ description: `1 to ${NAME_MAX} characters.`, examples: ['Contact'] });
const Slug = Type.String({
	description: `The public name in the submission address: lower-case letters, digits and hyphens, up to ${SLUG_MAX}.`,
});
const IsActive = Type.Boolean({ description: 'An inactive form refuses submissions with 403.' });
const NotificationEmail = Type.String({ description: `One address, or up to ${EMAILS_MAX} separated by commas.` });
const RedirectUrl = Type.String({ description: 'Where a browser is sent after a submission; absolute http(s).' });
const AllowedDomains = Type.Array(Type.String(), {
	description: `Up to ${DOMAINS_MAX} domains whose pages may post; each covers its subdomains. Empty: any page.`,
});

/** A form as every route answers it. */
export const Form = Type.Object(
	{
		id: Type.String(),
		name: Name,
		slug: Slug,
		formerSlugs: Type.Array(Type.String(), {
			description: 'Slugs that it had before. What is posted there still comes here, until another form takes one.',
		}),
		isActive: IsActive,
		submissionCount: Type.Integer({ description: 'All submissions but spam.' }),
		createdAt: Type.String({ format: 'date-time' }),
		notificationEmail: nullable(NotificationEmail),
		redirectUrl: nullable(RedirectUrl),
		allowedDomains: AllowedDomains,
		captcha: nullable(CaptchaName, { description: 'The captcha that a submission must pass.' }),
		mode: stringEnum(MODES),
		unreadCount: Type.Integer(),
		starredCount: Type.Integer(),
		spamCount: Type.Integer(),
	},
	{ $id: 'Form' },
);
export type Form = Static<typeof Form>;

export const FormList = Type.Object({ forms: Type.Array(Form) }, { $id: 'FormList' });

const settable = {
	name: Name,
	slug: Type.Optional(Slug),
	isActive: Type.Optional(IsActive),
	notificationEmail: Type.Optional(nullable(NotificationEmail)),
	redirectUrl: Type.Optional(nullable(RedirectUrl)),
	allowedDomains: Type.Optional(nullable(AllowedDomains)),
	captcha: Type.Optional(nullable(CaptchaName)),
};

/** Members of a form that only the server sets: taken and left unread, so that a form that was read can be sent back. */
const ignored: TProperties = Object.fromEntries(
	['id', 'formerSlugs', 'submissionCount', 'createdAt', 'mode', 'unreadCount', 'starredCount', 'spamCount'].map(
		(name) => [name, Type.Optional(Type.Any({ description: 'Read-only; ignored.' }))],
	),
);

export const CreateForm = Type.Object({ ...settable, ...ignored }, { $id: 'CreateForm', additionalProperties: false });
export type CreateForm = Static<ReturnType<typeof Type.Object<typeof settable>>>;

export const UpdateForm = Type.Object(
	{ ...settable, name: Type.Optional(Name), ...ignored },
	{ $id: 'UpdateForm', additionalProperties: false },
);
export type UpdateForm = Partial<CreateForm>;
