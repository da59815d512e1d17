/** The mail that a form sends, made of invented values: to be looked at, or sent to try it. */

import { AppError } from '../../errors.ts';
import { sampleOf } from '../../field-rules/sample.ts';
import { fieldTexts } from '../../form-values/conditions.ts';
import { recipientsOf } from '../../form-values/notification-rules.ts';
import type { FormRow } from '../../storage/tables.ts';
import { inOrder } from '../../text/ordered-json.ts';
import { headerTexts, type Mail, type MailIdentity, renderNotification } from './email.ts';
import type { MailSetup } from './setup.ts';
import { sendAtOnce } from './test-mail.ts';

/** The fields of a form without rules. */
const USUAL = { name: 'Ada', email: 'ada@example.com', message: 'Hello' };

export interface SampleOptions {
	form: FormRow;
	identity: MailIdentity;
	/** Stands for the submission, which there is not. */
	id: number;
	at: Date;
}

/**
 * The values keep to the field rules.
 * @throws AppError CONFLICT if the form sends no mail of such a submission
 */
export function renderSample({ form, identity, id, at }: SampleOptions): Mail {
	const samples = form.fields?.map((rule): [string, unknown] => [rule.name, sampleOf(rule)]) ?? [];
	const values = inOrder(samples.filter(([, value]) => value !== undefined));
	const data = JSON.stringify(form.fields === null ? USUAL : values);
	const recipients = recipientsOf(form, fieldTexts(data));
	if (!recipients) {
		throw new AppError(
			'CONFLICT',
			'This form sends no mail: set notification.to, or a route that matches the example.',
		);
	}
	const submission = { id, receivedAt: at, data, subject: null, replyTo: null };
	return renderNotification(identity, { form, submission, ...headerTexts(recipients) });
}

/**
 * Sends the mail directly, without the queue. Returns the mail server's reply.
 * @throws AppError CONFLICT with the cause and a remedy
 */
export async function sendSample({ server, ...options }: SampleOptions & Pick<MailSetup, 'server'>) {
	if (options.form.mode === 'test')
		throw new AppError('CONFLICT', 'In test mode nothing is sent: this is a test form.');
	const mail = renderSample(options);
	const test = { ...mail, subject: `Test: ${mail.subject}`, messageId: `test.${mail.messageId}` };
	const { note = '', rest = [] } = await sendAtOnce(server, test);
	const faults = rest.map(({ destination, error }) => `${destination}: ${error}`);
	if (faults.length > 0) throw new AppError('CONFLICT', `Sent, but not to all. ${faults.join('. ')}.`);
	return { reply: note, to: [...mail.to, ...mail.cc, ...mail.bcc] };
}
