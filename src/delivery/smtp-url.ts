/** Reads the one setting that says where mail goes, such as `smtp://user:password@mail.example.com:587`. */

/** How far the way to the server is protected; the parameter `tls` of the address. */
const TLS_CHOICES = ['auto', 'required', 'unverified', 'off'] as const;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

export interface SmtpServer {
	host: string;
	port: number;
	/**
	 * `implicit`: from the first byte. `required`: by STARTTLS or not at all. `offered`: by STARTTLS if the
	 * server offers it, and then without a way back. `off`: never.
	 */
	tls: 'implicit' | 'required' | 'offered' | 'off';
	isCertificateChecked: boolean;
	login: { user: string; pass: string } | null;
}

/**
 * Without `?tls=…`, STARTTLS is used when offered, and demanded when a password would otherwise cross a network
 * in clear text.
 * @throws Error with a sentence that does not repeat the address: it holds a password
 */
export function parseSmtpUrl(text: string): SmtpServer {
	const url = URL.parse(text);
	if (!url || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
		throw new Error('The address of the mail server must be like smtp://user:password@mail.example.com:587.');
	}
	const choice = TLS_CHOICES.find((one) => one === (url.searchParams.get('tls') ?? 'auto'));
	if (!choice) throw new Error(`The mail server's tls must be one of ${TLS_CHOICES.join(', ')}.`);
	const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
	const login = url.username === '' ? null : { user: decode(url.username), pass: decode(url.password) };
	const isImplicit = url.protocol === 'smtps:';
	return {
		host,
		port: Number(url.port) || (isImplicit ? 465 : 587),
		tls: isImplicit ? 'implicit' : startTls(choice, login !== null && !LOOPBACK.test(host)),
		isCertificateChecked: choice !== 'unverified',
		login,
	};
}

function startTls(choice: (typeof TLS_CHOICES)[number], isPasswordAtRisk: boolean): SmtpServer['tls'] {
	if (choice === 'off') return 'off';
	return choice !== 'auto' || isPasswordAtRisk ? 'required' : 'offered';
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		throw new Error('The user and password of the mail server must be percent-encoded: write a % as %25.');
	}
}
