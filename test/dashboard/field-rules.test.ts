/** The editor of field rules in the form's settings: by keyboard, with its faults, and with proposals from what came in. */

import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { FieldRule } from '../../src/field-rules/rules.ts';
import type { Form } from '../../src/forms/schema.ts';
import { findAccessibilityFaults } from '../browser.ts';
import { openSite } from '../site.ts';
import { createForm, DESKTOP, openDashboard, openServerAndBrowser, PHONE } from './dashboard.ts';

setDefaultTimeout(60_000);

const { server, browser } = await openServerAndBrowser();

const rulesOf = async (id: string) => (await server.call<Form>(`GET /api/forms/${id}`)).body.fields;

const RULES: FieldRule[] = [
	{ name: 'email', type: 'email', label: 'Your e-mail', required: true },
	{ name: 'topic', type: 'select', options: ['Sales', 'Help'] },
	{ name: 'guests', type: 'number', min: 1, max: 12 },
];

async function openSettings(id: string, options: Partial<Parameters<typeof openDashboard>[0]> = {}) {
	const dashboard = await openDashboard({ browser, server, ...options });
	await dashboard.signIn();
	await dashboard.goTo(`/forms/${id}/settings`);
	const { page } = dashboard;
	const rules = page.getByRole('group', { name: 'Field rules' });
	return {
		...dashboard,
		rules,
		/** The new rule is open, and its name gets the focus. */
		async addRule(name: string) {
			await rules.getByRole('button', { name: 'Add a rule' }).focus();
			await page.keyboard.press('Enter');
			await page.waitForFunction(() => document.activeElement?.classList.contains('input'));
			await page.keyboard.type(name);
		},
		async save() {
			await page.getByRole('button', { name: 'Save changes' }).click();
			await page.getByText('Settings saved.').last().waitFor();
			await page.getByRole('button', { name: 'Dismiss' }).last().click();
		},
	};
}

describe('field rules', () => {
	test('are added, changed, put in order and removed by keyboard', async () => {
		const form = await createForm(server, 'Keyboard');
		const { page, rules, addRule, save, complaints, close } = await openSettings(form.id);
		const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '');
		await addRule('zip');
		await rules.getByLabel('Pattern').fill('\\d{5}');
		await rules.getByRole('switch', { name: 'Required' }).focus();
		await page.keyboard.press('Space');
		await addRule('topic');
		await rules.getByLabel('Type').last().selectOption('Choice');
		await rules.getByLabel('Values').fill('Sales\n\nHelp ');
		await save();
		const zip = { name: 'zip', type: 'text', required: true, pattern: '\\d{5}' };
		const topic = { name: 'topic', type: 'select', options: ['Sales', 'Help'] };
		expect(await rulesOf(form.id)).toEqual([zip, topic] as FieldRule[]);

		await rules.getByRole('button', { name: 'Move topic up' }).focus();
		await page.keyboard.press('Enter');
		expect(await page.getByRole('status').allTextContents()).toContain('topic is now 1 of 2.');
		await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Move topic up');
		// At an end it stays where it is, with the focus.
		await page.keyboard.press('Enter');
		expect(await focused()).toBe('Move topic up');
		await save();
		expect(await rulesOf(form.id)).toEqual([topic, zip] as FieldRule[]);

		await rules.getByRole('button', { name: 'Remove the rule for topic' }).focus();
		await page.keyboard.press('Enter');
		// Not the page, which has the focus until then.
		await page.waitForFunction(() => document.activeElement?.matches('.rule-toggle'));
		await rules.getByRole('button', { name: 'Remove the rule for zip' }).focus();
		await page.keyboard.press('Enter');
		await page.waitForFunction(() => document.activeElement?.textContent === 'Add a rule');
		await save();
		expect(await rulesOf(form.id)).toBeNull();
		expect(complaints).toEqual([]);
		await close();
	});

	test('at fault are opened, with what is wrong beside the inputs', async () => {
		const form = await createForm(server, 'Faults');
		await server.app.forms.update(form.id, { input: { fields: RULES } });
		const { page, rules, addRule, close } = await openSettings(form.id);
		await rules.getByRole('button', { name: 'guests' }).first().click();
		await rules.getByLabel('Not more than').fill('none');
		await addRule('zip');
		await rules.getByLabel('Pattern').fill('[\\w.-]+');
		await page.getByRole('button', { name: 'Save changes' }).click();
		await rules.getByText('This must be a number').waitFor();
		await rules.getByLabel('Not more than').fill('12');
		await page.getByRole('button', { name: 'Save changes' }).click();
		await rules.getByText('as browsers read it').waitFor();
		expect(await rules.locator('[aria-invalid=true]').inputValue()).toBe('[\\w.-]+');
		// The fault was at the fourth place, which has no rule or another one now.
		await addRule('town');
		await rules.getByRole('button', { name: 'Remove the rule for email' }).click();
		await rules.locator('[aria-invalid=true]').waitFor({ state: 'detached' });
		await page.getByRole('button', { name: 'Save changes' }).click();
		await rules.getByText('as browsers read it').waitFor();
		expect(await rules.locator('[aria-invalid=true]').inputValue()).toBe('[\\w.-]+');
		await close();
	});

	test('are proposed from what came in, beside those that there are', async () => {
		const form = await createForm(server, 'Propose');
		await server.app.forms.update(form.id, { input: { fields: RULES.slice(0, 1) } });
		for (let i = 0; i < 10; i++) await server.submit(form.slug, { email: `a${i}@b.example`, message: 'Hello' });
		const { page, rules, save, close } = await openSettings(form.id);
		await rules.getByRole('button', { name: 'Suggest rules' }).click();
		await page.getByText('1 rule proposed, from 10 submissions. Nothing is saved yet.').first().waitFor();
		await save();
		expect(await rulesOf(form.id)).toEqual([
			RULES[0] as FieldRule,
			{ name: 'message', type: 'text', label: 'Message', required: true, maxLength: 10_000 },
		]);
		await close();
	});

	test('keep the names and values that visitors send, blanks and line breaks too, when another rule is changed', async () => {
		const form = await createForm(server, 'Blanks');
		const stored: FieldRule = { name: ' size', type: 'select', options: ['S\nsmall', ' M ', 'L'] };
		const honeypot = ['my website', 'a,b'];
		await server.app.forms.update(form.id, { input: { fields: [stored], spam: { threshold: 5, honeypot } } });
		for (let i = 0; i < 10; i++) await server.submit(form.slug, { ' size': 'L', 'email ': `a${i}@b.example` });
		const { page, rules, save, close } = await openSettings(form.id);
		await rules.getByRole('button', { name: 'Suggest rules' }).click();
		await rules.getByRole('button', { name: 'size' }).first().click();
		await rules.getByLabel('Label').fill('Size');
		await save();
		expect(await rulesOf(form.id)).toEqual([
			{ ...stored, label: 'Size' },
			{ name: 'email ', type: 'email', label: 'Email', required: true },
		]);
		await rules.getByLabel('Values').fill('XS \n M \nL');
		await save();
		expect((await rulesOf(form.id))?.[0]?.options).toEqual(['XS', ' M ', 'L']);

		const names = page.getByLabel('Honeypot fields');
		const saveSpam = async () => {
			await page.locator('form').filter({ has: names }).getByRole('button', { name: 'Save changes' }).click();
			await page.getByText('Settings saved.').last().waitFor();
			await page.getByRole('button', { name: 'Dismiss' }).last().click();
			return (await server.call<Form>(`GET /api/forms/${form.id}`)).body.spam;
		};
		await page.getByLabel('Spam from a score of').fill('6');
		expect(await saveSpam()).toEqual({ threshold: 6, honeypot });
		await names.fill('my website\n url \n');
		expect(await saveSpam()).toEqual({ threshold: 6, honeypot: ['my website', 'url'] });
		await close();
	});

	test('are in the snippets: the browser holds them, and what it sends is accepted', async () => {
		const form = await createForm(server, 'Connect');
		await server.app.forms.update(form.id, { input: { fields: RULES } });
		const { page, signIn, goTo, close } = await openDashboard({ browser, server });
		await signIn();
		await goTo(`/forms/${form.id}/connect`);
		await page.getByRole('button', { name: 'Send a test submission' }).click();
		await page.getByText('The test submission has arrived.').first().waitFor();
		const code = (await page.getByLabel('HTML snippet').textContent()) ?? '';
		await close();

		const site = openSite();
		site.setPage(code);
		const visitor = await browser.newPage();
		await visitor.goto(site.url);
		const invalid = () =>
			visitor
				.locator(':invalid:not(form)')
				.evaluateAll((inputs) => inputs.map((input) => (input as HTMLInputElement).name));
		expect(await invalid()).toEqual(['email']);
		await visitor.getByLabel('guests').fill('13');
		expect(await invalid()).toEqual(['email', 'guests']);
		await visitor.getByLabel('guests').fill('2');
		await visitor.getByLabel('Your e-mail').fill('ann@example.com');
		await visitor.getByLabel('topic').selectOption('Help');
		await visitor.getByRole('button', { name: 'Send' }).click();
		await visitor.getByRole('heading', { name: 'Thank you' }).waitFor();
		await visitor.close();
		await site.close();
	});

	test('are read by those who may not write, and only read', async () => {
		const form = await createForm(server, 'Reader');
		await server.app.forms.update(form.id, { input: { fields: RULES } });
		const { page, goTo, signIn, close } = await openDashboard({ browser, server });
		await signIn(await server.createKey({ permissions: ['read'] }));
		await goTo(`/forms/${form.id}/settings`);
		const rules = page.getByRole('group', { name: 'Field rules' });
		await rules.getByRole('button', { name: 'email' }).click();
		expect(await rules.getByLabel('Name').isDisabled()).toBe(true);
		expect(await rules.getByRole('button', { name: /Move|Remove|Add|Suggest/ }).count()).toBe(0);
		await close();
	});

	test.each([
		['wide and light', DESKTOP, 'light'],
		['narrow and dark', PHONE, 'dark'],
	] as const)('are accessible, %s', async (_, viewport, colorScheme) => {
		const form = await createForm(server, 'Access');
		await server.app.forms.update(form.id, { input: { fields: RULES } });
		const { page, rules, close } = await openSettings(form.id, { viewport, colorScheme });
		for (const { name } of RULES) await rules.getByRole('button', { name }).first().click();
		expect(await findAccessibilityFaults(page)).toEqual([]);
		expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
		await close();
	});
});
