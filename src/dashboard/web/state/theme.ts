/** The theme: light, dark or the system's; stored in this browser. */

import { signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORED_AS = 'formsrv.theme';

export const theme = signal<Theme>('system');

function apply(choice: Theme): void {
	theme.value = choice;
	if (choice === 'system') delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = choice;
}

export function restoreTheme(): void {
	const stored = localStorage.getItem(STORED_AS);
	apply(THEMES.find((choice) => choice === stored) ?? 'system');
}

export function chooseTheme(choice: Theme): void {
	localStorage.setItem(STORED_AS, choice);
	apply(choice);
}
