/** The inbox of a large form in a real browser: from the address to the rows, laid out and ready to be used. */

import { openBrowser } from '../test/browser.ts';
import { openDashboard } from '../test/dashboard/dashboard.ts';
import type { Stock } from './list.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';

const VIEWS = 15;
const MUST_MS = 300;

/** Set in the page once its rows can be used, in milliseconds since the navigation began. */
type Watched = typeof globalThis & { usableAt?: number };

/** Runs in the page, before anything of it. */
function watchForRows(): void {
	new MutationObserver((_changes, observer) => {
		if (document.querySelectorAll('tbody tr').length < 20) return;
		observer.disconnect();
		// By the next task after a frame the page has been laid out and painted, and listens.
		requestAnimationFrame(() =>
			setTimeout(() => {
				(globalThis as Watched).usableAt = performance.now();
			}),
		);
	}).observe(document, { childList: true, subtree: true });
}

export async function measureView({ product, form, rows }: Stock): Promise<Finding[]> {
	const server = await product.start();
	const browser = await openBrowser();
	try {
		const key = product.authorization.Authorization.slice('Bearer '.length);
		const { page, signIn } = await openDashboard({ browser, server: { baseUrl: server.url, adminKey: key } });
		await signIn();
		await page.addInitScript(watchForRows);
		const address = `${server.url}/#/forms/${form.id}`;

		async function time(open: () => Promise<unknown>): Promise<number[]> {
			const times: number[] = [];
			for (let i = 0; i < VIEWS; i++) {
				await open();
				await page.waitForFunction(() => (globalThis as Watched).usableAt !== undefined);
				times.push(await page.evaluate(() => (globalThis as Watched).usableAt ?? Number.NaN));
			}
			return times;
		}

		// From a page of no site the browser begins a process for ours, which is its own time and not the program's.
		const newTab = await time(async () => {
			await page.goto('about:blank');
			await page.goto(address, { waitUntil: 'commit' });
		});
		const openTab = await time(() => page.reload({ waitUntil: 'commit' }));
		const finding = (where: string, times: number[]): Finding => ({
			what: `First view of the inbox at ${short(rows)} submissions, in ${where}`,
			...{ better: 'lower', must: MUST_MS, aim: 200, measured: median(times), unit: ' ms' },
			detail: `${short(Math.min(...times))} to ${short(Math.max(...times))} ms`,
		});
		return [finding('a new tab', newTab), finding('an open tab', openTab)];
	} finally {
		await browser.close();
		await server.stop();
	}
}
