/** The frame around the content of a view. */

import type { ComponentChildren } from 'preact';
import { useTitle } from '../announce.ts';
import { route } from '../location.ts';
import { to } from '../router.ts';
import * as words from '../sentences/words.ts';
import { formOf } from '../state/forms.ts';
import { may, session } from '../state/session.ts';
import { EmptyState } from './messages.tsx';

interface PageProps {
	title: string;
	intro?: ComponentChildren;
	actions?: ComponentChildren;
	children: ComponentChildren;
}

/** A view without panes: a heading, a line under it, and one column of content. */
export function Page({ title, intro, actions, children }: PageProps) {
	useTitle(title);
	return (
		<div class="page stack">
			<header class="page-head spread wrap">
				<div>
					<h1>{title}</h1>
					{intro && <p class="muted">{intro}</p>}
				</div>
				{actions && <div class="page-actions">{actions}</div>}
			</header>
			{children}
		</div>
	);
}

/** The view of an unknown address. */
export function NotFound() {
	useTitle(words.frame.notFound);
	return (
		<EmptyState icon="search" title={words.frame.nothingHere}>
			<h1 class="visually-hidden">{words.frame.notFound}</h1>
			<p>{may('read') ? words.frame.nothingHereHint : words.frame.notForReading}</p>
			<a class="button" href={to.forms()}>
				{words.frame.allForms}
			</a>
		</EmptyState>
	);
}

/** The header of a form’s views: its name, its state and tabs. */
export function FormHead({ form: id }: { form: string }) {
	const form = formOf(id);
	const view = route.value.view;
	const tabs = [
		{ view: 'inbox', label: words.frame.inboxTab, href: to.inbox(id) },
		{ view: 'connect', label: words.frame.connectTab, href: to.connect(id) },
		{ view: 'form-settings', label: words.frame.settingsTab, href: to.formSettings(id) },
	];
	return (
		<header class="form-head row">
			<h1 class="clip">
				<bdi>{form?.name ?? words.controls.form}</bdi>
			</h1>
			{form && !form.isActive && <span class="chip">{words.controls.paused}</span>}
			{!session.value?.form && (
				<nav class="tabs" aria-label={words.controls.form}>
					{tabs.map((tab) => (
						<a key={tab.view} href={tab.href} aria-current={tab.view === view ? 'page' : undefined}>
							{tab.label}
						</a>
					))}
				</nav>
			)}
		</header>
	);
}
