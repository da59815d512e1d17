/** A browser for tests of redirects and cookies: it keeps cookies by host name, as browsers do, and follows nothing by itself. */

export function newVisitor() {
	const jar = new Map<string, string>();

	async function get(url: string, headers: Record<string, string> = {}) {
		const Cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
		const response = await fetch(url, { redirect: 'manual', headers: { ...(Cookie && { Cookie }), ...headers } });
		for (const line of response.headers.getSetCookie()) {
			const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
			if (value === '' || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
			else jar.set(name, value);
		}
		const location = response.headers.get('Location');
		return {
			status: response.status,
			location: location === null ? null : new URL(location, url).href,
			headers: response.headers,
			text: await response.text(),
		};
	}

	return {
		jar,
		get,
		/** Follows redirects until there is none, or the next one would be to an address of this kind. */
		async follow(url: string, until: (next: string) => boolean = () => false) {
			let at = url;
			for (let count = 0; count < 12; count++) {
				const response = await get(at);
				if (response.location === null || until(response.location)) return { ...response, at };
				at = response.location;
			}
			throw new Error(`Redirected too often, last to ${at}`);
		},
	};
}
