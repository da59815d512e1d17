/** Ctrl+C, and its like, at a command that leaves something behind, or to be said. */

const STOP_SIGNALS = { SIGINT: 130, SIGTERM: 143 };

/** Runs it before the process ends by one of these. @returns what takes that back */
export function onStop(run: () => void): () => void {
	const listeners = Object.entries(STOP_SIGNALS).map(([name, code]) => {
		const listener = () => {
			run();
			process.exit(code);
		};
		process.on(name, listener);
		return () => process.off(name, listener);
	});
	return () => {
		for (const off of listeners) off();
	};
}
