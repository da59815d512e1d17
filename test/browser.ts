/** A real Chromium for tests, and the accessibility check that every page of ours has to pass. */

import { readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium.ts';

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

export async function openBrowser(): Promise<Browser> {
	return chromium.launch({ ...(await findChromium()), args: FLAGS });
}

let axeSource: string | undefined;

/** What axe-core finds wrong with a page, one line per element; `[]` is the only good answer. */
export async function findAccessibilityFaults(page: Page): Promise<string[]> {
	axeSource ??= readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
	await page.evaluate(axeSource);
	return page.evaluate(async () => {
		const { axe } = globalThis as unknown as {
			axe: { run(context: Document, options: { iframes: boolean }): Promise<AxeResult> };
		};
		const { violations } = await axe.run(document, { iframes: false });
		return violations.flatMap(({ id, nodes }) =>
			nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
		);
	});
}

interface AxeResult {
	violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}
