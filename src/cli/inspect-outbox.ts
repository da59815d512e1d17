/** The part of `formsrv doctor` on outgoing deliveries: mail, webhooks, the queue, and the server that sends. */

import type { Config } from '../config.ts';
import { ask, type BoundedResponse } from '../network/bounded-response.ts';
import type { Database } from '../storage/database.ts';
import { describeLong, isMail, type OutboxReport, type Pause } from '../storage/pauses.ts';
import { membersIn } from '../text/members-in.ts';
import { formatCount } from '../text/plural.ts';
import type { Finding } from './doctor.ts';
import { ownAddress } from './healthcheck.ts';

const SERVER_TIMEOUT_MS = 2000;

/** @param database One of this version, if there is any. */
export async function inspectOutbox(config: Config, database: Database | undefined): Promise<Finding[]> {
	const outbox = await database?.outbox();
	if (!database || !outbox) return [await inspectServer(config, undefined)];
	const { mail, webhooks } = describeLong(outbox.pauses, Date.now());
	const paused = (ofMail: boolean) => describePauses(outbox.pauses.filter((pause) => isMail(pause) === ofMail));
	const mailFound = config.smtpUrl === null ? 'FORMSRV_SMTP_URL is not set here' : 'not paused';
	return [
		{
			subject: 'mail',
			found: paused(true) ?? mailFound,
			...(mail !== null && { problem: `${mail}. "formsrv mail test" tries it.` }),
		},
		{
			subject: 'webhooks',
			found: paused(false) ?? 'none is paused',
			...(webhooks !== null && { problem: `${webhooks}. "formsrv deliveries list" lists what waits.` }),
		},
		{ subject: 'deliveries', found: describeWaiting(outbox) },
		await inspectServer(config, { outbox, isServed: await database.isServed() }),
	];
}

/** The latest of them, which may not last, with its reason, for an operator who has just set the destination up. */
function describePauses(pauses: readonly Pause[]): string | undefined {
	const latest = pauses.toSorted((a, b) => b.since - a.since)[0];
	if (!latest) return undefined;
	const { host, since, reason } = latest;
	const others = host !== null && pauses.length > 1 ? `, and ${formatCount(pauses.length - 1)} more` : '';
	return `${host === null ? '' : `${host} `}paused since ${new Date(since).toISOString()}, and tried again: ${reason}${others}`;
}

function describeWaiting({ waiting, held, oldest }: OutboxReport): string {
	const what =
		oldest === null
			? 'none waits'
			: `${formatCount(waiting)} waiting, the oldest since ${new Date(oldest).toISOString()}`;
	return held === 0
		? what
		: `${what}; ${held} held since a restore: "formsrv deliveries retry --state held" sends them`;
}

/** Asks the running server, which alone knows its open files and whether its writes succeed. */
async function inspectServer(
	config: Config,
	use: { outbox: OutboxReport; isServed: boolean } | undefined,
): Promise<Finding> {
	const subject = 'server';
	if (config.port === 0) return { subject, found: 'its port is not known' };
	const address = ownAddress(config);
	const found = `at ${address}`;
	let response: BoundedResponse;
	try {
		response = await ask(`${address}/ready`, { signal: AbortSignal.timeout(SERVER_TIMEOUT_MS) });
	} catch {
		return { subject, isOff: true, ...withoutAnswer(found, use) };
	}
	const { status, error, problem }: { status?: unknown; error?: string; problem?: string } = membersIn(response.text);
	if (status === 'ok') return { subject, found: `accepts submissions, ${found}`, ...(problem && { problem }) };
	const other = `Another program answers ${found}, where the server would listen: give the server another --port.`;
	return { subject, found, problem: error ?? other };
}

function withoutAnswer(
	found: string,
	use: { outbox: OutboxReport; isServed: boolean } | undefined,
): Pick<Finding, 'found' | 'problem'> {
	const none = `none answers ${found}`;
	if (!use) return { found: none };
	if (use.isServed) return { found: `${none}, though one runs on this database: name its --host and --port` };
	const stopped = `none runs: nothing is received or sent until "formsrv serve" is started (${none})`;
	const { waiting } = use.outbox;
	if (waiting === 0) return { found: stopped };
	return {
		found: stopped,
		problem: `${waiting === 1 ? 'A delivery waits' : `${formatCount(waiting)} deliveries wait`}, and ${stopped}.`,
	};
}
