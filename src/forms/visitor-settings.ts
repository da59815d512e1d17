/** The settings of when a form takes submissions, and what its visitors read; in `settings.ts` with all others. */

import { AUTO, LANGUAGE_LABELS, LANGUAGES } from '../languages/languages.ts';
import { choice } from './kinds/choice.ts';
import { pages } from './kinds/pages.ts';
import { count, moment } from './kinds/scalar.ts';
import { optionalText } from './kinds/text.ts';
import { autoresponder, confirmation } from './kinds/visitor-mails.ts';
import { CLOSED_TEXT_MAX, checkClosedText } from './opening.ts';

const SUBMISSIONS_MAX = 1_000_000_000;

export const VISITOR_SETTINGS = {
	opensAt: moment({
		description:
			'It takes submissions from this moment on, RFC 3339 with a zone; before, 403 FORM_NOT_OPEN. `null`: at once.',
		example: null,
		group: 'visitors',
		label: 'Opens',
		hint: 'In your time zone. Empty: at once.',
		option: { flags: '--opens-at <moment>', help: 'When it begins to take submissions, such as 2027-01-31T09:00:00Z' },
	}),
	closesAt: moment({
		description:
			'It takes submissions until this moment, RFC 3339 with a zone; from then on 403 FORM_CLOSED. `null`: for ever.',
		example: null,
		group: 'visitors',
		label: 'Closes',
		hint: 'In your time zone. What arrived before is stored. Empty: never.',
		option: { flags: '--closes-at <moment>', help: 'When it takes no more submissions' },
	}),
	maxSubmissions: count({
		max: SUBMISSIONS_MAX,
		description:
			'Maximum number of submissions, exactly, from 1 to 1000000000; then 403 FORM_FULL. Stored ones count, spam does not: a deletion frees a ' +
			'place, and so does a mark as spam. `null`: any number.',
		example: null,
		group: 'visitors',
		label: 'Places',
		hint: 'Maximum number of submissions. Spam does not count; deleting a submission or marking it as spam frees its place. Empty: no limit.',
		option: { flags: '--max-submissions <number>', help: 'Maximum number of submissions, spam not counted' },
	}),
	closedText: optionalText({
		check: checkClosedText,
		code: 'INVALID_TEXT',
		error: `closedText must be a text of 1 to ${CLOSED_TEXT_MAX} characters.`,
		description: `What visitors read while it takes no submissions, up to ${CLOSED_TEXT_MAX} characters: in place of the sentence of the error, on the page and for scripts.`,
		example: null,
		lines: 3,
		maxLength: CLOSED_TEXT_MAX,
		group: 'visitors',
		label: 'Text while closed',
		placeholder: 'Registration opens on Monday at nine.',
		hint: 'What visitors read when the form is paused, not open yet, closed or full. Empty: a plain sentence.',
		option: { flags: '--closed-text <text>', help: 'What visitors read while it takes no submissions' },
	}),
	language: choice<string>({
		choices: { [AUTO]: { label: 'That of each visitor' }, ...LANGUAGE_LABELS },
		description: `The language in which it speaks to visitors: \`auto\` for that of the page or the browser, or one of ${LANGUAGES.map((code) => `\`${code}\``).join(', ')}. Its mails are in it too; with \`auto\` in that of the server.`,
		example: AUTO,
		group: 'visitors',
		label: 'Language',
		hint: 'Of the pages and sentences that visitors read, and of the mails to you.',
		option: { flags: '--language <code>', help: 'The language of its pages and mails (default: that of each visitor)' },
	}),
	pages: pages({
		description:
			'The pages for visitors: `thanks` has the owner’s `title`, `text`, `linkUrl` and `linkLabel` in place of ours, as plain ' +
			'text; `accent` is a colour such as `#1d6b57` for the mark, links and buttons, with a contrast of at least 4.5 to 1. What is left out or `null` is ours.',
		example: null,
		group: 'visitors',
		label: 'Thank-you page',
		hint: 'Plain text, shown if visitors are not sent elsewhere. Empty: ours, in the language of the visitor.',
		option: {
			flags: '--pages <settings>',
			help: 'Texts of the thank-you page and colour of all pages, as JSON or @FILE',
		},
	}),
	confirm: confirmation({
		description:
			'Double opt-in: a submission is pending until its visitor follows the link in a mail to the address in `field`, which then has to be ' +
			'filled in. Until then it is in no list but that of `filter=pending`, counts nowhere else, takes no place of `maxSubmissions`, and ' +
			'goes out to no one; after 7 days it is removed. `subject`, one line of up to 200 characters, and `text`, up to 2,000, take the place of ' +
			'ours, and may have `{{form.name}}`. While one mail can be followed no other of that day goes to the address, with other mails to visitors three in all: the one ' +
			'link confirms all that waits for the address in this form. `null`: nothing waits.',
		example: null,
		group: 'visitors',
		label: 'Confirmed addresses',
		hint: 'Submissions wait until the visitor has opened the link in a mail, for 7 days at most. The mail is in your words, and has nothing of what was submitted.',
		option: {
			flags: '--confirm <mail>',
			help: 'Has visitors confirm their address by a mail, as JSON or @FILE, such as {"field":"email"}',
		},
	}),
	autoresponder: autoresponder({
		description:
			'A mail to the visitor, at the address in `field`, `delayMinutes` after the submission, 0 to 10080. `subject`, one line of up to 200 ' +
			'characters, and `text`, up to 2,000, take the place of ours, and may have `{{form.name}}` and `{{field}}` of fields whose rule is a `select` with options, a ' +
			'`number` or a `date`. It takes a captcha on the form, or `confirm` with the same field, and then goes to confirmed addresses. At most one a day goes to an address, with other mails to visitors three in ' +
			'all, and 100 an hour from a form. Not for spam, until it is marked as genuine. `null`: none.',
		example: null,
		group: 'visitors',
		label: 'Automatic response',
		hint: 'A mail to the visitor, in your words. It takes a captcha or confirmed addresses. {{topic}} stands for a field whose rule is a choice, a number or a date.',
		option: {
			flags: '--autoresponder <mail>',
			help: 'A mail to the visitor, as JSON or @FILE, such as {"field":"email","subject":"Thank you","text":"We have your message."}',
		},
	}),
};
