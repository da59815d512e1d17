/** The header of a form's views: its name, its state, and tabs for inbox, connect and settings. */

import { route } from '../location.ts';
import { to } from '../router.ts';
import { formOf } from '../state/forms.ts';
import { session } from '../state/session.ts';

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
