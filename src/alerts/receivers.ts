/** The ways in which alerts reach the operator: a webhook, and mail by a server of its own. */

import type { Config } from '../config.ts';
import { renderNotice } from '../delivery/mail/email.ts';
import { readMailSetup } from '../delivery/mail/setup.ts';
import { NOTICE_TIMEOUTS, sendMail } from '../delivery/mail/smtp.ts';
import { errorOf } from '../delivery/worker/outcome.ts';
import { isMessageFormat, type MessageRequest, messageRequest } from '../form-values/message-formats.ts';
import type { GuardedPost } from '../network/guarded-request.ts';
import { textBody } from '../network/post-body.ts';
import type { Alert, Receiver } from './alerts.ts';

const HEADLINES: Record<Alert['state'], (alert: Alert) => string> = {
	begun: ({ name }) => `formsrv has a problem: ${name}`,
	over: ({ name }) => `formsrv: the problem ${name} is over`,
	test: () => 'formsrv: a test of alerts',
};

interface ReceiverOptions {
	config: Pick<
		Config,
		'alertUrl' | 'alertFormat' | 'alertToken' | 'alertMail' | 'alertSmtpUrl' | 'smtpUrl' | 'mailFrom'
	>;
	/** Public address of the dashboard. */
	baseUrl: string;
	server: string;
	post: GuardedPost;
	now(): number;
}

/** One for each way; the settings are read at each use, because they may change. */
export function createReceivers(options: ReceiverOptions): Receiver[] {
	return [webhook(options), mail(options)];
}

function mail({ config, baseUrl, server, now }: ReceiverOptions): Receiver {
	return {
		get name() {
			return config.alertMail;
		},
		async send(alert) {
			const { alertMail, alertSmtpUrl, smtpUrl } = config;
			if (alertMail === null) return undefined;
			const setup = readMailSetup({ ...config, smtpUrl: alertSmtpUrl ?? smtpUrl, baseUrl });
			if (!setup.server) return 'No mail server is set: FORMSRV_ALERT_SMTP_URL.';
			const title = HEADLINES[alert.state](alert);
			const notice = renderNotice(setup.identity, {
				to: [alertMail],
				title,
				paragraphs: [...sentencesOf(alert), `Server: ${server}`],
				link: { url: baseUrl, label: 'Open the dashboard' },
				footer: 'Sent because FORMSRV_ALERT_MAIL names this address.',
				key: `alert.${alert.name}.${alert.state}.${alert.since.toString(36)}`,
				at: new Date(now()),
			});
			const outcome = await sendMail(setup.server, notice, { timeouts: NOTICE_TIMEOUTS });
			return outcome.kind === 'sent' ? undefined : errorOf(outcome);
		},
	};
}

function webhook(options: ReceiverOptions): Receiver {
	const { config, post } = options;
	return {
		get name() {
			return config.alertUrl && new URL(config.alertUrl).host;
		},
		async send(alert) {
			if (config.alertUrl === null) return undefined;
			const { alertUrl: url, alertToken: token } = config;
			const { body, ...to } = requestOf(alert, options);
			const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
			const result = await post(to.url ?? url, { method: to.method, headers, body: textBody(JSON.stringify(body)) });
			if (!result.hasResponse) return result.message;
			return result.status >= 200 && result.status < 300 ? undefined : `It returned ${result.status}.`;
		},
	};
}

function requestOf(alert: Alert, { config, baseUrl, server, now }: ReceiverOptions): MessageRequest {
	const { alertUrl: url, alertFormat: format } = config;
	const title = HEADLINES[alert.state](alert);
	if (url !== null && isMessageFormat(format)) {
		const text = [...sentencesOf(alert), `Server: ${server}`].join('\n');
		const id = `alert_${alert.name}_${alert.state}_${now().toString(36)}`;
		return messageRequest(format, { title, text, link: baseUrl }, { url, id });
	}
	const { state, name, problem } = alert;
	const text = [`${title}.`, ...sentencesOf(alert)].join(' ');
	const since = new Date(alert.since).toISOString();
	return { body: { text, state, name, problem, since, server, dashboard: baseUrl } };
}

function sentencesOf({ state, problem, since }: Alert): string[] {
	const began = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
	if (state === 'test') return [problem];
	return [problem, state === 'begun' ? `Since ${began} UTC.` : `It began at ${began} UTC.`].filter(
		(text) => text !== '',
	);
}
