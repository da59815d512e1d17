/** Parses the address of the mail server, such as `smtp://user:password@mail.example.com:587`. */

import { decodePart, reject } from './value-problem.ts';

/** The protection of the connection; the parameter `tls` of the address. */
const TLS_CHOICES = ['auto', 'required', 'unverified', 'off'] as const;
type TlsChoice = (typeof TLS_CHOICES)[number];
const ENCODED = 'user and password';
/** The host names of this machine. */
export const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

export interface SmtpServer {
	host: string;
	port: number;
	/**
	 * `implicit`: from the first byte. `required`: by STARTTLS, else the connection fails. `offered`: by STARTTLS if the
	 * server offers it, and then without a way back. `off`: never.
	 */
	tls: 'implicit' | 'required' | 'offered' | 'off';
	isCertificateChecked: boolean;
	login: { user: string; pass: string } | null;
}

/**
 * Without `?tls=…`, STARTTLS is used when offered, and demanded when a password would otherwise cross a network
 * in clear text.
 * @throws ValueProblem without the address, which contains a password
 */
export function parseSmtpUrl(text: string): SmtpServer {
	const url = URL.parse(text);
	if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '' || url.port === '0' || url.hash) {
		return reject('must be like smtp://user:password@mail.example.com:587 or smtps://…');
	}
	// Most often a password with a slash in it, which ends the name of the server too early.
	if (!['', '/'].includes(url.pathname)) {
		return reject('must have no path: write a / of the user or password as %2F');
	}
	// Without a user the password would be left out silently, without a password every login fails.
	if ((url.username === '') !== (url.password === '')) return reject('must have a user and a password, or neither');
	const choice = tlsChoice(url.searchParams);
	// Only in an http address is an international name as name servers know it.
	const host = (URL.parse(`http://${url.hostname}`) ?? url).hostname.replace(/^\[(.*)\]$/, '$1');
	const login =
		url.username === '' ? null : { user: decodePart(url.username, ENCODED), pass: decodePart(url.password, ENCODED) };
	const isImplicit = url.protocol === 'smtps:';
	return {
		host,
		port: Number(url.port) || (isImplicit ? 465 : 587),
		tls: isImplicit ? 'implicit' : startTls(choice, login !== null && !LOOPBACK.test(host)),
		isCertificateChecked: choice !== 'unverified',
		login,
	};
}

function tlsChoice(parameters: URLSearchParams): TlsChoice {
	const [[name, value] = ['tls', 'auto'], ...others] = parameters;
	const choice = TLS_CHOICES.find((one) => name === 'tls' && one === value);
	if (choice && others.length === 0) return choice;
	return reject(`must have no parameter but tls, which is one of ${TLS_CHOICES.join(', ')}`);
}

function startTls(choice: TlsChoice, isPasswordAtRisk: boolean): SmtpServer['tls'] {
	if (choice === 'off') return 'off';
	return choice !== 'auto' || isPasswordAtRisk ? 'required' : 'offered';
}
