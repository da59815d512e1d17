/** Creates a key: name, permissions, form and expiry. */

import { FORM_KEY_PERMISSIONS } from '../../../../keys/bounds.ts';
import { DAY_MS } from '../../../../tasks/durations.ts';
import * as api from '../../api.ts';
import type { CreateApiKey, Permission } from '../../api-types.ts';
import { FormDialog } from '../../components/dialogs.tsx';
import { Choices, Field, Select, Ticks } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import { useDraft } from '../../state/draft.ts';
import { forms } from '../../state/forms.ts';
import { session } from '../../state/session.ts';
import { useAction } from '../../use-action.ts';

const PERMISSIONS: { value: Permission; hint: string; ofForms?: string }[] = [
	{ value: 'read', hint: words.keys.permissions.read },
	{ value: 'write', hint: words.keys.permissions.write, ofForms: words.keys.writeOfForm },
	{ value: 'delete', hint: words.keys.permissions.delete },
	{ value: 'submit', hint: words.keys.permissions.submit },
	{ value: 'metrics', hint: words.keys.permissions.metrics },
	{ value: 'audit', hint: words.keys.permissions.audit },
	{ value: 'admin', hint: words.keys.permissions.admin },
];

const EXPIRIES = [
	{ value: '', label: words.keys.never },
	...[7, 30, 90].map((days) => ({ value: `${days}`, label: words.keys.inDays(days) })),
	{ value: '365', label: words.keys.inOneYear },
];

/** The place of what is typed. */
export const NEW_KEY = 'newKey';

interface Draft {
	name: string;
	/** The address of a member; empty for a key. */
	email: string;
	permissions: Permission[];
	form: string;
	/** Beside `form`. */
	otherForms: string[];
	expiry: string;
}

function requestOf({ name, email, permissions, form, otherForms, expiry }: Draft): CreateApiKey {
	const expiresAt = expiry ? new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() : null;
	const shared = { name: name.trim() || undefined, email: email.trim() || undefined, expiresAt };
	return { ...shared, permissions, ...(form && { forms: [form, ...otherForms] }) };
}

export function NewKeyDialog({
	onMade,
	onClose,
}: {
	onMade: (made: { key: string | null; email: string | null }) => void;
	onClose: () => void;
}) {
	const [{ draft, base }, set] = useDraft<Draft>(NEW_KEY, {
		name: '',
		email: '',
		permissions: ['read'],
		form: '',
		otherForms: [],
		expiry: '',
	});
	const action = useAction(async () => onMade(await api.keys.create(requestOf(draft))));
	const { error } = action;
	const offered =
		draft.form === ''
			? PERMISSIONS
			: PERMISSIONS.filter(({ value }) => FORM_KEY_PERMISSIONS.includes(value)).map(
					({ value, hint, ofForms = hint }) => ({ value, hint: ofForms }),
				);
	const others = (forms.value ?? []).filter(({ id }) => draft.form !== '' && id !== draft.form);
	const formOptions = [
		{ value: '', label: words.keys.allForms },
		...(forms.value ?? []).map(({ id, name }) => ({ value: id, label: words.keys.onlyForm(name) })),
	];
	return (
		<FormDialog
			title={words.keys.newKeyOf(session.value?.mode)}
			verb={words.keys.create}
			wasTyped={draft !== base}
			isReady={draft.permissions.length > 0}
			action={action}
			onClose={onClose}
		>
			<Field
				label={words.controls.name}
				value={draft.name}
				onInput={(name) => set({ name })}
				placeholder={words.keys.nameExample}
				hint={words.keys.nameHint}
				error={errorOf(error, 'name')}
				autoFocus
			/>
			<Field
				label={words.keys.memberEmail}
				type="email"
				value={draft.email}
				onInput={(email) => set({ email })}
				placeholder="ada@example.org"
				hint={words.keys.memberEmailHint}
				error={errorOf(error, 'email')}
			/>
			<Select
				label={words.keys.forForm}
				value={draft.form}
				options={formOptions}
				onChange={(form) => set({ form, otherForms: [], permissions: ['read'] })}
				error={errorOf(error, 'forms')}
			/>
			{others.length > 0 && (
				<Ticks
					legend={words.keys.andFor}
					options={others.map(({ id, name }) => ({ value: id, label: name }))}
					chosen={draft.otherForms}
					onChange={(otherForms) => set({ otherForms })}
				/>
			)}
			<Choices
				legend={words.keys.itMay}
				type="checkbox"
				options={offered}
				chosen={draft.permissions}
				onChange={(permissions) => set({ permissions })}
			/>
			<Select
				label={words.keys.expires}
				value={draft.expiry}
				options={EXPIRIES}
				onChange={(expiry) => set({ expiry })}
				error={errorOf(error, 'expiresAt')}
			/>
		</FormDialog>
	);
}
