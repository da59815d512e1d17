/** Decides which web sites may post to a form, by the hosts that its owner listed. */

import { parseUrl } from '../text/web-address.ts';

const MAX_ENTRY = 2048;
const MAX_HOST = 253;
/** Scheme, host with an optional wildcard, port; what follows the host does not matter. */
const ENTRY = /^(?:https?:\/\/)?(?:\*\.)?(\[[^\]]*\]|[^/?#\\@:[\]]+)(?::(\d{1,5}))?(?:[/?#].*)?$/s;
const MAX_PORT = 65_535;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const IPV6 = /^\[[0-9a-f:.]+\]$/;
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

interface Host {
	name: string;
	/** Empty if absent. */
	port: string;
}

/**
 * Normalizes an owner's entry for storage: a host in lower case and punycode, with its port if it has one. A URL stands for its host, `*.example.com` for `example.com`. `undefined` if it names no host.
 */
export function normalizeDomain(entry: string): string | undefined {
	if (entry.length > MAX_ENTRY) return undefined;
	const [, host, port] = ENTRY.exec(entry.trim().toLowerCase()) ?? [];
	if (host === undefined || /\s/.test(host)) return undefined;
	const url = URL.parse(`http://${host}`);
	if (!url) return undefined;
	const name = withoutTrailingDot(url.hostname);
	if (!isHostName(name)) return undefined;
	if (port === undefined) return name;
	const number = Number(port);
	return number > 0 && number <= MAX_PORT ? `${name}:${number}` : undefined;
}

/** The headers of a request, read only when needed: most forms are open, and each read takes time. */
export type HeaderReader = Pick<Headers, 'get'>;

/** The page that a request comes from, as the browser states it: Origin or, if that is absent or `null`, Referer. */
export function sourcePage(headers: HeaderReader): string | null {
	const origin = headers.get('origin');
	return origin && origin !== 'null' ? origin : headers.get('referer');
}

/**
 * Checks whether a page may post to a form: always if the form lists no domains, never if it does and the browser does
 * not state the page. This binds browsers; other programs forge both headers.
 */
export function checkOrigin(headers: HeaderReader, allowedDomains: readonly string[]): boolean {
	if (allowedDomains.length === 0) return true;
	const source = sourcePage(headers);
	const url = source ? parseUrl(source) : null;
	return url !== null && urlCovered(url, allowedDomains);
}

/** Returns whether a page's host is in the list or below one of its entries. An entry without a port covers every port. */
export function urlCovered({ protocol, hostname, port }: URL, allowedDomains: readonly string[]): boolean {
	const actualPort = port || DEFAULT_PORTS[protocol];
	return hostCovered(
		hostname,
		allowedDomains.filter((entry) => ['', actualPort].includes(splitHost(entry).port)),
	);
}

/** The same for a host whose port is unknown. */
export function hostCovered(hostname: string, allowedDomains: readonly string[]): boolean {
	const name = withoutTrailingDot(hostname);
	return name !== '' && allowedDomains.some((entry) => coversName(splitHost(entry).name, name));
}

function coversName(allowed: string, name: string): boolean {
	return name === allowed || name.endsWith(`.${allowed}`);
}

function splitHost(host: string): Host {
	const colon = host.lastIndexOf(':');
	const hasPort = colon > host.lastIndexOf(']');
	return {
		name: withoutTrailingDot(hasPort ? host.slice(0, colon) : host),
		port: hasPort ? host.slice(colon + 1) : '',
	};
}

function withoutTrailingDot(name: string): string {
	return name.endsWith('.') ? name.slice(0, -1) : name;
}

function isHostName(name: string): boolean {
	return IPV6.test(name) || (name.length <= MAX_HOST && name.split('.').every((label) => LABEL.test(label)));
}
