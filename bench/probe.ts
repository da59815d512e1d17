/** A thread that requests one address repeatedly, so that other work of the measuring process does not count as delay. */

declare const self: Worker;

const PAUSE_MS = 100;
const TIMEOUT_MS = 20_000;

export interface ProbeReport {
	/** Since the previous report. */
	slowestMs: number;
	failed: number;
}

self.onmessage = async ({ data: url }: MessageEvent<string>) => {
	for (;;) {
		const began = performance.now();
		let failed = 0;
		try {
			const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
			await response.bytes();
			if (!response.ok) failed = 1;
		} catch {
			failed = 1;
		}
		self.postMessage({ slowestMs: performance.now() - began, failed } satisfies ProbeReport);
		await Bun.sleep(PAUSE_MS);
	}
};
