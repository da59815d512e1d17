/** A port of the loopback address that nothing listens on. */

export function freePort(): number {
	const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
	const { port } = server;
	server.stop(true);
	return port;
}
