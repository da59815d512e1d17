/** A form's settings in groups, with what belongs to each: webhooks, lists, a test mail, the deletion. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { SETTING_GROUPS, type SettingGroup } from '../../../forms/kinds/setting.ts';
import type { Form } from '../api-types.ts';
import { FormView } from '../components/form-view.tsx';
import { Notice } from '../components/messages.tsx';
import { to } from '../router.ts';
import * as words from '../sentences/more-words.ts';
import { may } from '../state/session.ts';
import { DeleteForm } from './form-settings/delete-form.tsx';
import { FormMail } from './form-settings/form-mail.tsx';
import { GroupForm } from './form-settings/settings-group.tsx';
import { SpamLists } from './form-settings/spam-lists.tsx';
import { Webhooks } from './form-settings/webhooks.tsx';

const GROUPS = Object.entries(SETTING_GROUPS) as [SettingGroup, string][];

function Extras({ form, group }: { form: Form; group: SettingGroup }): ComponentChildren {
	if (group === 'notifications' && may('admin')) {
		return (
			<>
				<FormMail form={form} />
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
			{form.keptIn !== null && <Notice>{words.formSettings.keptIn(form.keptIn)}</Notice>}
			<nav class="filters settings-index" aria-label={words.formSettings.groups}>
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
		<FormView form={id} title={words.formSettings.settingsOf}>
			{(form) => <Groups form={form} at={group} />}
		</FormView>
	);
}
