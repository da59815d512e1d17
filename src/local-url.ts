/** Where a listener can be opened from the machine that it runs on. */

const EVERY_ADDRESS = ['0.0.0.0', '::'];

/** Whether a listener bound to that takes every address of the machine, and so has none to give to others. */
export function isEveryAddress(host: string): boolean {
	return EVERY_ADDRESS.includes(host);
}

/** @param host What the listener is bound to; one that takes every address can be opened as localhost. */
export function localUrl(host: string, port: number): string {
	const name = isEveryAddress(host) ? 'localhost' : host;
	return new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`).origin;
}
