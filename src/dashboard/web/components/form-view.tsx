/** The views of a form: a header with its name, its state and tabs, and for most of them a column of content. */

import type { ComponentChildren } from 'preact';
import { useTitle } from '../announce.ts';
import type { Form } from '../api-types.ts';
import { route } from '../location.ts';
import { to } from '../router.ts';
import { formOf, forms } from '../state/forms.ts';
import { session } from '../state/session.ts';
import { NotFound } from '../views/not-found.tsx';

export function FormHead({ form: id }: { form: string }) {
	const form = formOf(id);
	const view = route.value.view;
	const tabs = [
		{ view: 'inbox', label: 'Inbox', href: to.inbox(id) },
		{ view: 'connect', label: 'Connect', href: to.connect(id) },
		{ view: 'form-settings', label: 'Settings', href: to.formSettings(id) },
	];
	return (
		<header class="form-head">
			<h1>
				<bdi>{form?.name ?? 'Form'}</bdi>
			</h1>
			{form && !form.isActive && <span class="chip">Paused</span>}
			{!session.value?.form && (
				<nav class="tabs" aria-label="Form">
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

interface Props {
	form: string;
	/** Goes before the form's name. */
	title: string;
	children: (form: Form) => ComponentChildren;
}

export function FormView({ form: id, title, children }: Props) {
	const form = formOf(id);
	useTitle(`${title} ${form?.name ?? 'form'}`);
	if (form === undefined) return forms.value === undefined ? null : <NotFound />;
	return (
		<div class="form-view">
			<FormHead form={id} />
			<div class="column stack-large">{children(form)}</div>
		</div>
	);
}
