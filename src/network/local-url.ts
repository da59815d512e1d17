/** The address of a listener as its own machine reaches it. */

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Returns whether a listener bound to `host` has every address of the machine, and so no public one. */
export function isEveryAddress(host: string): boolean {
	return EVERY_ADDRESS.includes(host);
}

/** @param host The bound host; a wildcard is reached as localhost. */
export function localUrl(host: string, port: number): string {
	const name = isEveryAddress(host) ? 'localhost' : host;
	return new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`).origin;
}
