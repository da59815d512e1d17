/** The inbox of a large form in a real browser: time from the address to usable rows. */

import { openBrowser } from '../test/browser.ts';
import { openDashboard } from '../test/dashboard/dashboard.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';
import type { Stock } from './stock.ts';

const VIEWS = 15;
const MUST_MS = 300;

/** The page's message once its rows are usable, followed by the milliseconds since the navigation. */
const USABLE_AT = 'usable at ';

/** Runs in the page, before its scripts. */
function watchForRows(word: string): void {
	new MutationObserver((_changes, observer) => {
		if (document.querySelectorAll('tbody tr').length < 20) return;
		observer.disconnect();
		// The next task after a frame runs when the page is laid out, painted and interactive.
		requestAnimationFrame(() => setTimeout(() => console.debug(word + performance.now())));
	}).observe(document, { childList: true, subtree: true });
}

export async function measureView({ product, form, rows }: Stock): Promise<Finding[]> {
	const server = await product.start();
	const browser = await openBrowser();
	try {
		const key = product.authorization.Authorization.slice('Bearer '.length);
		const { page, signIn } = await openDashboard({ browser, server: { baseUrl: server.url, adminKey: key } });
		await signIn();
		await page.addInitScript(watchForRows, USABLE_AT);
		const address = `${server.url}/#/forms/${form.id}`;

		async function time(open: () => Promise<unknown>): Promise<number[]> {
			const times: number[] = [];
			for (let i = 0; i < VIEWS; i++) {
				// The page reports it: polling by the driver would add 15 ms to the measured time.
				const [message] = await Promise.all([
					page.waitForEvent('console', (candidate) => candidate.text().startsWith(USABLE_AT)),
					open(),
				]);
				times.push(Number(message.text().slice(USABLE_AT.length)));
			}
			return times;
		}

		// From about:blank the browser starts a process for our site, which is not the program's time.
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
