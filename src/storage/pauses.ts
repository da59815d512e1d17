/** Pauses of destinations as they are kept in the database, where commands, other servers and the next start find them. */

import { MINUTE_MS } from '../tasks/durations.ts';
import type { ServerValue } from './server-values.ts';

/** Destinations are busy or restarted now and then; a longer pause needs its operator. */
const LONG_PAUSE_MS = 15 * MINUTE_MS;
export const PAUSE_PREFIX = 'paused:';

/** The destinations of mails, which have one server. */
const MAILS = ['mail', 'visitor'];
export const isMail = ({ key }: Pick<Pause, 'key'>): boolean => MAILS.includes(key);

/** Nothing can be sent there, and something waits for it. */
export interface Pause {
	key: string;
	/** The host of a webhook, for people: its URL may hold secrets. */
	host: string | null;
	/** In milliseconds since 1970. */
	since: number;
	reason: string;
}

/** Deliveries that wait to be sent, and those that are held. */
export interface OutboxReport {
	waiting: number;
	held: number;
	/** When the oldest of those that wait was made, in milliseconds since 1970. */
	oldest: number | null;
	pauses: Pause[];
}

export function toStored({ key, ...rest }: Pause): ServerValue {
	return { name: PAUSE_PREFIX + key, value: JSON.stringify(rest) };
}

export function fromStored({ name, value }: ServerValue): Pause {
	const key = name.slice(PAUSE_PREFIX.length);
	// Earlier builds stored the id of a webhook alone.
	return { key: /^\d/.test(key) ? `webhook:${key}` : key, ...JSON.parse(value) };
}

/** Those that need the operator, each as a sentence. */
export function describeLong(pauses: readonly Pause[], now: number): { mail: string | null; webhooks: string | null } {
	const long = pauses.filter(({ since }) => now - since >= LONG_PAUSE_MS);
	const mail = long.find(isMail);
	const hosts = long
		.filter((pause) => !isMail(pause))
		.map(({ key, host, since, reason }) => `${host ?? key} since ${iso(since)} (${reason.replace(/\.$/, '')})`);
	return {
		mail: mail ? `Nothing could be sent since ${iso(mail.since)}: ${mail.reason}` : null,
		webhooks: hosts.length > 0 ? `Nothing could be sent to ${hosts.join(', ')}` : null,
	};
}

function iso(ms: number): string {
	return new Date(ms).toISOString();
}

/** Common to both engines, of a database of this version; the columns are those of {@link toReport}. */
export const WAITING_SQL = `
	select d.state, count(*), min(d.id) from deliveries d join forms f on f.id = d.form_id left join webhooks w on w.id = d.webhook_id
	where d.state in ('waiting', 'sending', 'held') and f.deleted_at is null and (w.id is null or w.is_active = 1) group by d.state`;
export const PAUSES_SQL = `select name, value from server_values where name like '${PAUSE_PREFIX}%' order by name`;

export function toReport(
	rows: readonly [string, number, number][],
	{ stored, millisOf }: { stored: readonly [string, string][]; millisOf: (id: number) => number },
): OutboxReport {
	const waiting = rows.filter(([state]) => state !== 'held');
	return {
		waiting: waiting.reduce((sum, [, count]) => sum + Number(count), 0),
		held: Number(rows.find(([state]) => state === 'held')?.[1] ?? 0),
		oldest: waiting.length > 0 ? millisOf(Math.min(...waiting.map(([, , id]) => Number(id)))) : null,
		pauses: stored.map(([name, value]) => fromStored({ name, value })),
	};
}
