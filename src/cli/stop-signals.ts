/** Ctrl+C, and its like, at a command that leaves something behind, or to be said. */

import { readFileSync } from 'node:fs';

/** With their numbers (POSIX). The first one comes when the terminal closes, or the connection to it breaks. */
const STOP_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };

/** Runs it before the process ends by one of these. @returns what takes that back */
export function onStop(run: () => void): () => void {
	const ignored = ignoredSignals();
	const heard = Object.entries(STOP_SIGNALS).filter(([, number]) => !ignored.includes(number));
	const listeners = heard.map(([name, number]) => {
		const listener = () => {
			run();
			process.exit(128 + number);
		};
		process.on(name, listener);
		return () => process.off(name, listener);
	});
	return () => {
		for (const off of listeners) off();
	};
}

/** Does `work`; if the process ends by one of these meanwhile, it runs `say` before. */
export async function sayingAtStop<T>(say: () => void, work: () => Promise<T>): Promise<T> {
	const off = onStop(say);
	try {
		return await work();
	} finally {
		off();
	}
}

/** Those that the caller has ignored, as `nohup` does: a listener would take that back. */
function ignoredSignals(): number[] {
	// Elsewhere no file says it.
	if (process.platform !== 'linux') return [STOP_SIGNALS.SIGHUP];
	const [, mask = '0'] = /^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
	return Object.values(STOP_SIGNALS).filter((number) => (BigInt(`0x${mask}`) >> BigInt(number - 1)) & 1n);
}
