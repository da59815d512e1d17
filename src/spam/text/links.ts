/** The rules for links: how many, as markup, and where to. */

import type { FormRow } from '../../storage/tables.ts';
import { plural } from '../../text/plural.ts';
import type { SpamReason } from '../verdict.ts';
import { describeDivisor, divisorOf, type Message } from './message.ts';

const POINTS_PER_LINK = 0.5;
const MAX_POINTS = 2.5;
const LINK = /https?:\/\/|www\./gi;
const HOST = /[^\s/?#"'<>\])]*/y;
/** Before `www.` these make it a part of something else. A look-behind would do the same, many times as slowly. */
const WITHIN = /[\w.@/-]/;
/** Links that were written for another program, to be shown as such: people do not type them into a form. */
const MARKUP = /<a\s[^<>]{0,200}?href|\[(?:url|link)\b/i;
/** Very cheap top-level domains, services that hide where a link leads, and bare addresses. */
const CHEAP_HOST =
	/(?:\.(?:xyz|top|live|club|click|icu|site|online|shop|loan|win|vip|tk|ml|ga|cf|gq|pw|work|biz)|^(?:bit\.ly|tinyurl\.com|t\.co|goo\.gl|ow\.ly|is\.gd|cutt\.ly|t\.me|wa\.me)|^\d+(?:\.\d+){3}|^\d{8,})(?::\d+)?$/;
const MARKUP_POINTS = 2.5;
/** Among so few words it is all that there is to say; who asks about markup says more. */
const BARE_MARKUP_POINTS = 4.5;
const FEW_WORDS = 20;
const NAMED = 3;
/** Only the end of a longer host is shown, because it says where the link leads: a sender may make it as long as a message. */
const MAX_NAMED_LENGTH = 100;
/** A domain has at most 253 characters, and a port six. */
const LONGER_THAN_DOMAINS = 300;
const NONE: readonly string[] = [];

/** The hosts of the links, those of the form's own websites left out. */
function hostsOf({ text, hasLinks }: Message, { allowedDomains }: Pick<FormRow, 'allowedDomains'>): readonly string[] {
	if (!hasLinks) return NONE;
	const hosts: string[] = [];
	LINK.lastIndex = 0;
	for (let found = LINK.exec(text); found; found = LINK.exec(text)) {
		if (found[0].endsWith('.') && found.index > 0 && WITHIN.test(text.charAt(found.index - 1))) continue;
		HOST.lastIndex = LINK.lastIndex;
		hosts.push((HOST.exec(text)?.[0] ?? '').toLowerCase());
		LINK.lastIndex = HOST.lastIndex;
	}
	if (hosts.length === 0 || allowedDomains.length === 0) return hosts;
	const allowed = new Set(allowedDomains);
	return hosts.filter((host) => !isWithin(host, allowed));
}

/** Returns whether a host is one of domains, or belongs to one. */
function isWithin(host: string, domains: ReadonlySet<string>): boolean {
	const end = host.slice(-LONGER_THAN_DOMAINS);
	for (let at = 0; ; ) {
		if (domains.has(end.slice(at))) return true;
		at = end.indexOf('.', at) + 1;
		if (at === 0) return false;
	}
}

export function judgeLinks(message: Message, form: Pick<FormRow, 'allowedDomains'>): SpamReason[] {
	const hosts = hostsOf(message, form);
	const reasons: SpamReason[] = [];
	if (hosts.length > 0) {
		const divided = (hosts.length * POINTS_PER_LINK) / divisorOf(message.count);
		const points = Math.min(MAX_POINTS, Math.round(divided * 10) / 10);
		const bound = divided > MAX_POINTS ? `, at most ${MAX_POINTS}` : '';
		const named = hosts.filter(Boolean).slice(0, NAMED).map(endOf).join(', ');
		const where = named && `: ${named}${hosts.length > NAMED ? ', …' : ''}`;
		const detail = `${plural(hosts.length, 'link')}, ${POINTS_PER_LINK} each${bound}${describeDivisor(message.count)}${where}`;
		if (points > 0) reasons.push({ rule: 'links', points, detail });
		const cheap = hosts.find((host) => CHEAP_HOST.test(host));
		if (cheap !== undefined) reasons.push({ rule: 'link-host', points: 1.5, detail: endOf(cheap) });
	}
	const markup = message.hasMarkup ? MARKUP.exec(message.text)?.[0] : undefined;
	if (markup !== undefined) {
		const isBare = message.count < FEW_WORDS;
		const points = isBare ? BARE_MARKUP_POINTS : Math.round((10 * MARKUP_POINTS) / divisorOf(message.count)) / 10;
		const around = isBare ? ` in ${plural(message.count, 'word')}` : describeDivisor(message.count);
		reasons.push({ rule: 'markup', points, detail: `“${markup.slice(0, 40)}”${around}` });
	}
	return reasons;
}

function endOf(host: string): string {
	return host.length > MAX_NAMED_LENGTH ? `…${host.slice(-MAX_NAMED_LENGTH)}` : host;
}
