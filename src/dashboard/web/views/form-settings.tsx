/** A form's settings in groups, with what belongs to each: webhooks, lists, a test mail, the deletion. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { SETTING_GROUPS, type SettingGroup } from '../../../forms/kinds/setting.ts';
import { parseMailboxes } from '../../../text/email-address.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { ActionFailure } from '../components/messages.tsx';
import { FormView } from '../components/page.tsx';
import { to } from '../router.ts';
import { may, session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { useAction } from '../use-action.ts';
import { DeleteForm } from './form-settings/delete-form.tsx';
import { GroupForm } from './form-settings/settings-group.tsx';
import { SpamLists } from './form-settings/spam-lists.tsx';
import { Webhooks } from './form-settings/webhooks.tsx';

const GROUPS = Object.entries(SETTING_GROUPS) as [SettingGroup, string][];

/** Sends a mail to the addresses that are notified. */
function TestMail({ form: { notificationEmail } }: { form: Form }) {
	const { run, isBusy, error } = useAction(async () => {
		const mailboxes = parseMailboxes(notificationEmail ?? '', Number.POSITIVE_INFINITY) ?? [];
		for (const { address } of mailboxes) await api.server.testMail(address);
		showToast(`The mail server accepted a test mail to ${notificationEmail}.`);
	});
	if (notificationEmail === null || session.value?.mode === 'test') return null;
	return (
		<div class="stack">
			<div>
				<Button label={isBusy ? 'Sending…' : 'Send a test mail'} icon="mail" onClick={run} disabled={isBusy} />
			</div>
			<ActionFailure error={error} />
		</div>
	);
}

function Extras({ form, group }: { form: Form; group: SettingGroup }): ComponentChildren {
	if (group === 'notifications' && may('admin')) {
		return (
			<>
				<TestMail form={form} />
				<Webhooks form={form.id} />
			</>
		);
	}
	if (group === 'spam') return <SpamLists form={form.id} />;
	return group === 'advanced' && may('delete') && <DeleteForm form={form} />;
}

const headingOf = (group: string) => document.getElementById(`settings-${group}`);

function reveal(group: string): void {
	headingOf(group)?.scrollIntoView();
	headingOf(group)?.focus({ preventScroll: true });
}

function Groups({ form, at }: { form: Form; at: string }) {
	useEffect(() => reveal(at), [at]);
	return (
		<>
			<nav class="filters settings-index" aria-label="Groups">
				{GROUPS.map(([group, name]) => (
					<a
						key={group}
						href={to.formSettings(form.id, group)}
						aria-current={group === at ? 'true' : undefined}
						onClick={() => reveal(group)}
					>
						{name}
					</a>
				))}
			</nav>
			{GROUPS.map(([group, name]) => (
				<section key={group} class="stack" aria-labelledby={`settings-${group}`}>
					<h2 id={`settings-${group}`} tabIndex={-1}>
						{name}
					</h2>
					<GroupForm form={form} group={group} />
					<Extras form={form} group={group} />
				</section>
			))}
		</>
	);
}

export function FormSettings({ form: id, group }: { form: string; group: string }) {
	return (
		<FormView form={id} title="Settings of">
			{(form) => <Groups form={form} at={group} />}
		</FormView>
	);
}
