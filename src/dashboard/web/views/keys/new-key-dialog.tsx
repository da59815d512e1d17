/** Creates a key: name, permissions, form and expiry. */

import { useState } from 'preact/hooks';
import { DAY_MS } from '../../../../durations.ts';
import * as api from '../../api.ts';
import type { CreateApiKey, Permission } from '../../api-types.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { Select } from '../../components/select.tsx';
import { errorOf } from '../../field-errors.ts';
import { forms } from '../../state/forms.ts';
import { session } from '../../state/session.ts';

const PERMISSIONS: { value: Permission; hint: string }[] = [
	{ value: 'read', hint: 'read forms and submissions' },
	{ value: 'write', hint: 'create and change forms, flag submissions' },
	{ value: 'delete', hint: 'delete forms and submissions' },
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
	expiry: string;
}

function requestOf({ name, permissions, form, expiry }: Draft): CreateApiKey {
	const expiresAt = expiry ? new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() : null;
	const shared = { name: name.trim() || undefined, expiresAt };
	return form ? { ...shared, form } : { ...shared, permissions };
}

function PermissionChecks({ value, onChange }: { value: Permission[]; onChange: (next: Permission[]) => void }) {
	const toggle = (permission: Permission) =>
		onChange(value.includes(permission) ? value.filter((held) => held !== permission) : [...value, permission]);
	return (
		<fieldset class="choices">
			<legend>It may</legend>
			{PERMISSIONS.map(({ value: permission, hint }) => (
				<label key={permission} class="choice">
					<input type="checkbox" checked={value.includes(permission)} onChange={() => toggle(permission)} />
					<span>
						<strong>{permission}</strong>
						<span class="hint">{hint}</span>
					</span>
				</label>
			))}
		</fieldset>
	);
}

export function NewKeyDialog({ onMade, onClose }: { onMade: (key: string) => void; onClose: () => void }) {
	const [draft, setDraft] = useState<Draft>({ name: '', permissions: ['read'], form: '', expiry: '' });
	const [error, setError] = useState<api.ApiError | undefined>(undefined);
	const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
	const formOptions = [
		{ value: '', label: 'All forms of this mode' },
		...(forms.value ?? []).map(({ id, name }) => ({ value: id, label: `Only “${name}”: reading its submissions` })),
	];
	const create = async (event: Event) => {
		event.preventDefault();
		try {
			onMade((await api.keys.create(requestOf(draft))).key);
		} catch (cause) {
			setError(cause instanceof api.ApiError ? cause : undefined);
		}
	};
	const isReady = draft.form !== '' || draft.permissions.length > 0;
	return (
		<Dialog title={`New ${session.value?.mode} key`} onClose={onClose}>
			<form class="stack" onSubmit={create} noValidate>
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
					onChange={(form) => set({ form })}
					error={errorOf(error, 'form')}
				/>
				{draft.form === '' && (
					<PermissionChecks value={draft.permissions} onChange={(permissions) => set({ permissions })} />
				)}
				<Select
					label="Expires"
					value={draft.expiry}
					options={EXPIRIES}
					onChange={(expiry) => set({ expiry })}
					error={errorOf(error, 'expiresAt')}
				/>
				{error && Object.keys(error.fields).length === 0 && (
					<p class="field-error" role="alert">
						{error.message}
					</p>
				)}
				<div class="dialog-foot">
					<button type="button" class="button" onClick={onClose}>
						Cancel
					</button>
					<button type="submit" class="button primary" disabled={!isReady}>
						Create key
					</button>
				</div>
			</form>
		</Dialog>
	);
}
