/** All tools of agents, from which their list, what a key may use, the check of the input and the table in docs/mcp.md follow. */

import { type TSchema, Type } from '@sinclair/typebox';
import type { PublicUrls } from '../../config.ts';
import { snippetsOf } from '../../dashboard/web/views/connect/form-snippets.ts';
import { SNIPPET_KINDS } from '../../dashboard/web/views/connect/snippets.ts';
import type { DeliveryList } from '../../delivery/schema.ts';
import { type EnsuredForm, type Form, UpdateForm } from '../../forms/schema.ts';
import type { SettingName } from '../../forms/settings.ts';
import { stringEnum, stringMap } from '../../http/schema-types.ts';
import { FILTERS } from '../../storage/filters.ts';
import { FLAG_NAMES, FLAGS, mapFlags } from '../../storage/owned.ts';
import { CHANNELS, DELIVERY_STATES } from '../../storage/tables.ts';
import type { SubmissionList } from '../../submissions/schema.ts';
import { inOrder } from '../../text/ordered-json.ts';
import { pick, type Tool, tool } from './tool.ts';

/**
 * The settings that agents see and set. An agent reads pages that others wrote, so none of these says where content goes, who is
 * notified, or what is deleted; a new setting is not theirs until it stands here.
 */
const SETTINGS: readonly Exclude<SettingName, 'slug'>[] = [
	'name',
	'isActive',
	'allowedDomains',
	'captcha',
	'files',
	'language',
	'opensAt',
	'closesAt',
	'maxSubmissions',
	'fields',
	'unknownFields',
	'aliases',
];
const SUMMARY = [
	'id',
	'name',
	'slug',
	'isActive',
	'mode',
	'createdAt',
	'submissionCount',
	'unreadCount',
	'spamCount',
	'pendingCount',
];
const MARKED = ['id', 'createdAt', ...FLAG_NAMES, 'isPending', 'confirmedAt'];
const DELIVERY = [
	...['id', 'form', 'submission', 'channel', 'event', 'state', 'destination', 'attempts', 'createdAt'],
	...['nextAttemptAt', 'finishedAt', 'lastError'],
];
/** The most submissions of a page: an agent reads them all. */
const PAGE_MAX = 25;
const NAMES_MAX = 50;

const settings = pick(UpdateForm.properties, SETTINGS) as Record<(typeof SETTINGS)[number], TSchema>;
const form = Type.String({ description: 'The id of the form.' });
const submission = Type.String({ description: 'The id of the submission.' });
const offset = Type.Optional(Type.Integer({ minimum: 0, description: 'How many to skip.' }));
const limit = Type.Optional(
	Type.Integer({ minimum: 1, maximum: PAGE_MAX, description: `How many, up to ${PAGE_MAX}; 10 by default.` }),
);
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const time = (description: string) => Type.Optional(Type.String({ description }));

const addressOf = ({ slug }: Form, { submit }: PublicUrls) => `${submit}/f/${slug}`;

function snippetOf(found: Form, urls: PublicUrls, kind = 'html'): string | undefined {
	const withFiles = found.fields?.some(({ type }) => type === 'file') ?? false;
	const place = { address: addressOf(found, urls), submitUrl: urls.submit, withFiles };
	return snippetsOf(found, place).find(({ id }) => id === kind)?.code;
}

const shownForm = (found: Form, urls: PublicUrls) => ({
	...pick(found, [...SUMMARY, ...SETTINGS]),
	address: addressOf(found, urls),
});

/** Only the fields that were asked for. */
const shownSubmission = ({ data, ...others }: { data: object }, fields: readonly string[]) => ({
	...pick(others, [...MARKED, 'spamScore', 'damaged']),
	data: inOrder(Object.entries(data).filter(([name]) => fields.includes(name))),
});

export const TOOLS: Readonly<Record<string, Tool>> = {
	list_forms: tool({
		description:
			'Lists the forms of the mode of the key with their counts, newest first. `total` is how many there are.',
		input: {
			limit: Type.Optional(Type.Integer({ minimum: 1, description: 'How many; all by default.' })),
			offset,
		},
		permission: 'read',
		uses: ['GET /api/forms'],
		async run({ limit: count = Number.POSITIVE_INFINITY, offset: from = 0 }, { call }) {
			const { forms } = await call<{ forms: Form[] }>('GET /api/forms');
			return { forms: forms.slice(from, from + count).map((one) => pick(one, SUMMARY)), total: forms.length };
		},
	}),
	ensure_form: tool({
		description:
			'Finds the form with this slug, or creates it with these settings. Returns it with the HTML to put into the page. A form that is ' +
			'there is not changed: `differs` names the settings that it does not have; update_form sets them.',
		input: {
			slug: Type.String({ description: 'Its public name: lower-case letters, digits and hyphens.' }),
			...settings,
		},
		permission: 'write',
		uses: ['PUT /api/forms/slug/:slug'],
		async run({ slug, ...body }, { call, urls }) {
			const ensured = await call<EnsuredForm>('PUT /api/forms/slug/:slug', { params: { slug }, body });
			const { form: found, ...outcome } = ensured;
			return { ...outcome, form: shownForm(found, urls), snippet: snippetOf(found, urls) };
		},
	}),
	update_form: tool({
		description:
			'Changes the settings that are given; null stands for the default. Where submissions go, who is notified and what is deleted is ' +
			'for the owner to set, in the dashboard.',
		input: { form, ...settings },
		permission: 'write',
		uses: ['PATCH /api/forms/:id'],
		async run({ form: id, ...body }, { call, urls }) {
			return shownForm(await call<Form>('PATCH /api/forms/:id', { params: { id }, body }), urls);
		},
	}),
	snippet: tool({
		description: 'Returns the code that connects a page to a form, for one kind of website.',
		input: { form, kind: stringEnum(SNIPPET_KINDS, { description: 'For which kind of website.' }) },
		permission: 'write',
		// Without a change it returns the form, to keys that may not read submissions too.
		uses: ['PATCH /api/forms/:id'],
		async run({ form: id, kind }, { call, urls }) {
			const found = await call<Form>('PATCH /api/forms/:id', { params: { id }, body: {} });
			return { kind, snippet: snippetOf(found, urls, kind) };
		},
	}),
	send_test_submission: tool({
		description:
			'Submits to a form of the test mode as a visitor would, past captcha and allowed domains. Its mails and webhook requests are ' +
			'captured and not sent.',
		input: {
			form,
			data: stringMap(Type.Any(), { description: 'The fields of the submission by their names.' }),
		},
		permission: 'write',
		uses: ['POST /api/forms/:id/test-token', 'PATCH /api/forms/:id', 'POST /api/f/:slug'],
		isTestOnly: true,
		async run({ form: id, data }, { call }) {
			const { slug } = await call<Form>('PATCH /api/forms/:id', { params: { id }, body: {} });
			const { token } = await call<{ token: string }>('POST /api/forms/:id/test-token', { params: { id }, body: {} });
			return call('POST /api/f/:slug', { params: { slug }, body: data, token });
		},
	}),
	list_submissions: tool({
		description:
			'Lists submissions of a form, newest first, with the fields that are named; `search` finds words in their values. `fields` in the ' +
			'result names those that there are.',
		input: {
			form,
			fields: Type.Array(Type.String(), {
				minItems: 1,
				maxItems: NAMES_MAX,
				description: 'The names of the fields to read.',
			}),
			search: Type.Optional(Type.String({ description: 'Only those whose values have all these words.' })),
			filter: Type.Optional(
				stringEnum(FILTERS, {
					description:
						'All but spam and pending leave out spam, and what is pending until its visitor confirms an address.',
				}),
			),
			since: time('Only those after this time (RFC 3339).'),
			until: time('Only those up to this time.'),
			order: Type.Optional(stringEnum(['asc', 'desc'])),
			limit,
			offset,
		},
		permission: 'read',
		isForFormKeys: true,
		uses: ['GET /api/forms/:id/submissions'],
		isFromVisitors: true,
		async run({ form: id, fields, ...query }, { call }) {
			const page = await call<SubmissionList>('GET /api/forms/:id/submissions', {
				params: { id },
				query: { limit: 10, ...query },
			});
			return {
				submissions: page.submissions.map((one) => shownSubmission(one, fields)),
				fields: page.fields.slice(0, NAMES_MAX),
				pagination: page.pagination,
			};
		},
	}),
	mark: tool({
		description: `Marks a submission as ${FLAG_NAMES.map((name) => FLAGS[name][0]).join(', ')}, or as not. The spam score learns from marks as spam.`,
		input: {
			form,
			submission,
			...mapFlags((name) => flag(`Whether it is ${FLAGS[name][0]}.`)),
		},
		permission: 'write',
		isForFormKeys: true,
		uses: ['PATCH /api/forms/:id/submissions/:submissionId'],
		async run({ form: id, submission: submissionId, ...body }, { call }) {
			const operation = 'PATCH /api/forms/:id/submissions/:submissionId';
			return pick(await call<object>(operation, { params: { id, submissionId }, body }), MARKED);
		},
	}),
	why_spam: tool({
		description: 'Explains the spam score of a submission: what the rules found in it, and what marks taught.',
		input: { form, submission },
		permission: 'read',
		isForFormKeys: true,
		uses: ['GET /api/forms/:id/submissions/:submissionId/spam'],
		isFromVisitors: true,
		run: ({ form: id, submission: submissionId }, { call }) =>
			call('GET /api/forms/:id/submissions/:submissionId/spam', { params: { id, submissionId } }),
	}),
	suggest_fields: tool({
		description: 'Proposes field rules that hold for the newest submissions, for `fields` of update_form.',
		input: { form },
		permission: 'read',
		uses: ['GET /api/forms/:id/fields/suggestion'],
		isFromVisitors: true,
		run: ({ form: id }, { call }) => call('GET /api/forms/:id/fields/suggestion', { params: { id } }),
	}),
	list_deliveries: tool({
		description: 'Lists mails and webhook requests with their state and last error, newest first.',
		input: {
			form: Type.Optional(form),
			state: Type.Optional(stringEnum(DELIVERY_STATES)),
			channel: Type.Optional(stringEnum(CHANNELS)),
			limit,
			offset,
		},
		permission: 'admin',
		uses: ['GET /api/deliveries'],
		isFromVisitors: true,
		async run(query, { call }) {
			const page = await call<typeof DeliveryList.static>('GET /api/deliveries', { query: { limit: 10, ...query } });
			return { deliveries: page.deliveries.map((one) => pick(one, DELIVERY)), pagination: page.pagination };
		},
	}),
	retry_delivery: tool({
		description: 'Sends a delivery again as soon as possible, to where it was to go.',
		input: { delivery: Type.String({ description: 'The id of the delivery.' }) },
		permission: 'admin',
		uses: ['POST /api/deliveries/:id/retry'],
		isFromVisitors: true,
		async run({ delivery: id }, { call }) {
			return pick(await call<object>('POST /api/deliveries/:id/retry', { params: { id }, body: {} }), DELIVERY);
		},
	}),
};
