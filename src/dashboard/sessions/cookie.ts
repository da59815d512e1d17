/** Pure: the cookies of the dashboard, such as that which carries a session. */

export type SessionCookie = ReturnType<typeof createSessionCookie>;

interface CookieOptions {
	/** Added to the name. */
	suffix?: string;
	sameSite: 'Strict' | 'Lax';
	lifetimeMs: number;
}

/** @param baseUrl The public address of the dashboard. */
export function createSessionCookie(baseUrl: string, lifetimeMs: number) {
	return createCookie(baseUrl, { sameSite: 'Strict', lifetimeMs });
}

/**
 * Over https the prefix `__Host-` keeps other hosts and plain http pages from setting it. Over http the name contains the
 * port, which cookies ignore, so that two servers on one machine do not overwrite each other's.
 */
export function createCookie(baseUrl: string, { suffix = '', sameSite, lifetimeMs }: CookieOptions) {
	const { protocol, port } = new URL(baseUrl);
	const isSecure = protocol === 'https:';
	const name = (isSecure ? '__Host-formsrv' : `formsrv_${port || '80'}`) + suffix;
	const attributes = `Path=/; HttpOnly; SameSite=${sameSite}${isSecure ? '; Secure' : ''}`;

	return {
		/** The value in a `Cookie` header; `undefined` if it has none, or more than one. */
		read(header: string | null): string | undefined {
			const values = (header ?? '').split(';').flatMap((pair) => {
				const [key, value] = pair.trim().split('=', 2);
				return key === name && value ? [value] : [];
			});
			return values.length === 1 ? values[0] : undefined;
		},
		/** The value of a `Set-Cookie` header. */
		write: (value: string) => `${name}=${value}; Max-Age=${Math.floor(lifetimeMs / 1000)}; ${attributes}`,
		clear: () => `${name}=; Max-Age=0; ${attributes}`,
	};
}
