/** A real Chromium for tests, and the accessibility check that every page of ours has to pass. */

import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';
import { hasRoomInMemory } from './memory.ts';
import { descendantsOf } from './processes.ts';
import { shareAmongFiles } from './shared-processes.ts';

const FLAGS = [
	'--headless',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

const ROOM_BYTES = 2 ** 30;

let shared: Browser | undefined;

/** The one browser of all files of tests. Closing it closes what a file opened in it; the program stays for the next file. */
export async function openBrowser(): Promise<Browser> {
	if (shared?.isConnected()) return shared;
	const found = await findChromium();
	// Otherwise each picture that its processes share is a file on the disk.
	const ignoreDefaultArgs = hasRoomInMemory(ROOM_BYTES) ? ['--disable-dev-shm-usage'] : [];
	const browser = await chromium.launch({ ...found, args: FLAGS, ignoreDefaultArgs });
	for (const { pid, parent, command } of descendantsOf(process.pid))
		if (parent === process.pid && command.startsWith(found.executablePath)) shareAmongFiles(pid);
	browser.close = async () => {
		await Promise.all(browser.contexts().map((context) => context.close()));
	};
	shared = browser;
	return browser;
}

/** Shows a page as it looks once what moves in it has come to rest. */
export async function finishAnimations(page: Page): Promise<void> {
	await page.evaluate(() => {
		for (const animation of document.getAnimations()) {
			const hasEnd = Number.isFinite(Number(animation.effect?.getComputedTiming().endTime));
			if (hasEnd && animation.playState === 'running') animation.finish();
		}
	});
}

let axeSource: string | undefined;

/**
 * Returns the faults that axe-core finds in a page, one line per element; `[]` is the only good result.
 * @param only the rules to apply; all unless given
 */
export async function findAccessibilityFaults(page: Page, only?: string[]): Promise<string[]> {
	axeSource ??= readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
	// It is large: sending it takes ten times as long as the check itself.
	if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
	await finishAnimations(page);
	return page.evaluate(async (runOnly) => {
		const { axe } = globalThis as unknown as {
			axe: { run(context: Document, options: { iframes: boolean; runOnly?: string[] }): Promise<AxeResult> };
		};
		const { violations } = await axe.run(document, { iframes: false, ...(runOnly && { runOnly }) });
		return violations.flatMap(({ id, nodes }) =>
			nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
		);
	}, only);
}

interface AxeResult {
	violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}
