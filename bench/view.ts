/** The inbox of a large form in a real browser: from the address to the rows, laid out and ready to be used. */

import { openBrowser } from '../test/browser.ts';
import { openDashboard } from '../test/dashboard/dashboard.ts';
import type { Stock } from './list.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';

const VIEWS = 15;
const MUST_MS = 300;

/** What the page says once its rows can be used; milliseconds since the navigation began follow. */
const USABLE_AT = 'usable at ';

/** Runs in the page, before anything of it. */
function watchForRows(word: string): void {
	new MutationObserver((_changes, observer) => {
		if (document.querySelectorAll('tbody tr').length < 20) return;
		observer.disconnect();
		// By the next task after a frame the page has been laid out and painted, and listens.
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
				// Told by the page: to be asked by the driver would cost it 15 ms of the time that is measured.
				const [message] = await Promise.all([
					page.waitForEvent('console', (candidate) => candidate.text().startsWith(USABLE_AT)),
					open(),
				]);
				times.push(Number(message.text().slice(USABLE_AT.length)));
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
