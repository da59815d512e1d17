/** Creates a key: name, permissions, form and expiry. */

import { useState } from 'preact/hooks';
import { FORM_KEY_PERMISSIONS } from '../../../../keys/bounds.ts';
import { DAY_MS } from '../../../../tasks/durations.ts';
import * as api from '../../api.ts';
import type { CreateApiKey, Permission } from '../../api-types.ts';
import { FormDialog } from '../../components/dialogs.tsx';
import { Choices, Field, Select } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import { forms } from '../../state/forms.ts';
import { session } from '../../state/session.ts';
import { useAction } from '../../use-action.ts';

const PERMISSIONS: { value: Permission; hint: string; ofForms?: string }[] = [
	{ value: 'read', hint: 'read forms and submissions' },
	{ value: 'write', hint: 'create and change forms, flag submissions', ofForms: 'flag submissions' },
	{ value: 'delete', hint: 'delete forms and submissions' },
	{ value: 'submit', hint: 'submit from a server, past allowed domains and captcha' },
	{ value: 'metrics', hint: 'read the metrics of the server, for monitoring' },
	{ value: 'audit', hint: 'read the audit log' },
	{ value: 'admin', hint: 'everything, keys and webhooks included' },
];

const EXPIRIES = [
	{ value: '', label: 'Never' },
	{ value: '7', label: 'In 7 days' },
	{ value: '30', label: 'In 30 days' },
	{ value: '90', label: 'In 90 days' },
	{ value: '365', label: 'In a year' },
];

interface Draft {
	name: string;
	permissions: Permission[];
	form: string;
	/** Beside `form`. */
	otherForms: string[];
	expiry: string;
}

function requestOf({ name, permissions, form, otherForms, expiry }: Draft): CreateApiKey {
	const expiresAt = expiry ? new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() : null;
	const shared = { name: name.trim() || undefined, expiresAt };
	return { ...shared, permissions, ...(form && { forms: [form, ...otherForms] }) };
}

export function NewKeyDialog({ onMade, onClose }: { onMade: (key: string) => void; onClose: () => void }) {
	const [draft, setDraft] = useState<Draft>({
		name: '',
		permissions: ['read'],
		form: '',
		otherForms: [],
		expiry: '',
	});
	const action = useAction(async () => onMade((await api.keys.create(requestOf(draft))).key));
	const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
	const { error } = action;
	const offered =
		draft.form === ''
			? PERMISSIONS
			: PERMISSIONS.filter(({ value }) => FORM_KEY_PERMISSIONS.includes(value)).map(
					({ value, hint, ofForms = hint }) => ({ value, hint: ofForms }),
				);
	const others = (forms.value ?? []).filter(({ id }) => draft.form !== '' && id !== draft.form);
	const formOptions = [
		{ value: '', label: 'All forms of this mode' },
		...(forms.value ?? []).map(({ id, name }) => ({ value: id, label: `Only the submissions of “${name}”` })),
	];
	return (
		<FormDialog
			title={`New ${session.value?.mode} key`}
			verb="Create key"
			isReady={draft.permissions.length > 0}
			action={action}
			onClose={onClose}
		>
			<Field
				label="Name"
				value={draft.name}
				onInput={(name) => set({ name })}
				placeholder="Website build"
				hint="A reminder of what the key is for."
				error={errorOf(error, 'name')}
				autoFocus
			/>
			<Select
				label="For"
				value={draft.form}
				options={formOptions}
				onChange={(form) => set({ form, otherForms: [], permissions: ['read'] })}
				error={errorOf(error, 'forms')}
			/>
			{others.length > 0 && (
				<Choices
					legend="And for"
					type="checkbox"
					options={others.map(({ id, name }) => ({ value: id, label: name }))}
					chosen={draft.otherForms}
					onChange={(otherForms) => set({ otherForms })}
				/>
			)}
			<Choices
				legend="It may"
				type="checkbox"
				options={offered}
				chosen={draft.permissions}
				onChange={(permissions) => set({ permissions })}
			/>
			<Select
				label="Expires"
				value={draft.expiry}
				options={EXPIRIES}
				onChange={(expiry) => set({ expiry })}
				error={errorOf(error, 'expiresAt')}
			/>
		</FormDialog>
	);
}
