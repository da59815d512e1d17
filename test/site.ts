/** A website for browser tests: another origin than the server, with one page that a test sets. */

/** `content` is what stands in the body; every path of the site shows it. @param charset The encoding that its page has by its header. */
export function openSite(charset = 'utf-8') {
	let page = '';
	const server = Bun.serve({
		port: 0,
		hostname: '127.0.0.1',
		fetch: () => new Response(page, { headers: { 'Content-Type': `text/html; charset=${charset}` } }),
	});
	return {
		/** With a slash at its end. */
		url: server.url.href,
		host: server.url.host,
		setPage(content: string): void {
			page = `<!doctype html><html lang="en"><title>Contact</title><main><h1>Contact</h1>${content}</main></html>`;
		},
		close: (): Promise<void> => server.stop(true),
	};
}
