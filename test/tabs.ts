/** A browser for the tests of a file, with a new tab for each. */

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';

/** The tab of the test that runs. */
export let tab: Page;

/** To be called at the top of a file of tests. A script of a page that fails, fails the test. */
export function openTabs(): void {
	let browser: Browser;
	let faults: string[];
	beforeAll(async () => {
		browser = await openBrowser();
	});
	afterAll(() => browser.close());
	beforeEach(async () => {
		faults = [];
		tab = await browser.newPage();
		tab.on('pageerror', (error) => faults.push(String(error)));
	});
	afterEach(async () => {
		await tab.close();
		expect(faults).toEqual([]);
	});
}
