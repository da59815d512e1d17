/** The ways in which alerts reach the operator: a webhook, and mail by a server of its own. */

import type { Config } from '../config.ts';
import { renderNotice } from '../delivery/mail/email.ts';
import { readMailSetup } from '../delivery/mail/setup.ts';
import { NOTICE_TIMEOUTS, sendMail } from '../delivery/mail/smtp.ts';
import type { GuardedPost } from '../network/guarded-request.ts';
import { textBody } from '../network/post-body.ts';
import type { Alert, Receiver } from './alerts.ts';

const HEADLINES: Record<Alert['state'], (alert: Alert) => string> = {
	begun: ({ name }) => `formsrv has a problem: ${name}`,
	over: ({ name }) => `formsrv: the problem ${name} is over`,
	test: () => 'formsrv: a test of alerts',
};

export interface ReceiverOptions {
	config: Pick<Config, 'alertUrl' | 'alertMail' | 'alertSmtpUrl' | 'smtpUrl' | 'mailFrom'>;
	/** Public address of the dashboard. */
	baseUrl: string;
	/** The name of this machine. */
	server: string;
	post: GuardedPost;
	now(): number;
}

/** Those that are configured. */
export function createReceivers({ config, baseUrl, server, post, now }: ReceiverOptions): Receiver[] {
	const { alertUrl, alertMail } = config;
	const receivers: Receiver[] = [];
	if (alertUrl !== null) receivers.push(webhook(alertUrl, { server, baseUrl, post }));
	if (alertMail !== null) {
		const setup = readMailSetup({ ...config, smtpUrl: config.alertSmtpUrl ?? config.smtpUrl, baseUrl });
		receivers.push({
			name: alertMail,
			async send(alert) {
				if (!setup.server) return 'No mail server is set: FORMSRV_ALERT_SMTP_URL.';
				const title = HEADLINES[alert.state](alert);
				const mail = renderNotice(setup.identity, {
					to: [alertMail],
					title,
					paragraphs: [...sentencesOf(alert), `Server: ${server}`],
					link: { url: baseUrl, label: 'Open the dashboard' },
					footer: 'Sent because FORMSRV_ALERT_MAIL names this address.',
					key: `alert.${alert.name}.${alert.state}.${alert.since.toString(36)}`,
					at: new Date(now()),
				});
				const outcome = await sendMail(setup.server, mail, { timeouts: NOTICE_TIMEOUTS });
				return outcome.kind === 'sent' ? undefined : outcome.error;
			},
		});
	}
	return receivers;
}

function webhook(
	url: string,
	{ server, baseUrl, post }: { server: string; baseUrl: string; post: GuardedPost },
): Receiver {
	return {
		name: new URL(url).host,
		async send(alert) {
			const text = [`${HEADLINES[alert.state](alert)}.`, ...sentencesOf(alert)].join(' ');
			const { state, name, problem } = alert;
			const since = new Date(alert.since).toISOString();
			const result = await post(url, {
				headers: { 'Content-Type': 'application/json' },
				body: textBody(JSON.stringify({ text, state, name, problem, since, server, dashboard: baseUrl })),
			});
			if (!result.hasResponse) return result.message;
			return result.status >= 200 && result.status < 300 ? undefined : `It returned ${result.status}.`;
		},
	};
}

function sentencesOf({ state, problem, since }: Alert): string[] {
	const began = new Date(since).toISOString().slice(0, 16).replace('T', ' ');
	if (state === 'test') return [problem];
	return [problem, state === 'begun' ? `Since ${began} UTC.` : `It began at ${began} UTC.`].filter(
		(text) => text !== '',
	);
}
