/** The editor of field rules: a list to add to, to take from and to put in order, and proposals from what came in. */

import { useRef, useState } from 'preact/hooks';
import {
	FIELD_TYPE_NAMES,
	FIELD_TYPES,
	type FieldType,
	mayBeUnique,
	ON_DUPLICATE,
	ON_DUPLICATE_NAMES,
	type OnDuplicate,
	type RuleMember,
} from '../../../../field-rules/rules.ts';
import type { Fields } from '../../../../forms/kinds/fields.ts';
import { announce } from '../../announce.ts';
import * as api from '../../api.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { Field, Select, Switch } from '../../components/inputs.tsx';
import { ActionFailure } from '../../components/messages.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import { may } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { useAction } from '../../use-action.ts';
import type { Control, ControlProps } from './control.ts';
import { type RuleDraft, ruleDraft, ruleOf, summaryOf } from './field-drafts.ts';
import { SettingFieldset } from './setting-fieldset.tsx';

const TYPES = FIELD_TYPE_NAMES.map((value) => ({ value, label: FIELD_TYPES[value].label }));

const DUPLICATES = ON_DUPLICATE_NAMES.map((value) => ({ value, label: ON_DUPLICATE[value].label }));

/** How the inputs of some members look. */
const LOOKS: Partial<Record<RuleMember, { lines?: number; isMono?: boolean }>> = {
	options: { lines: 4 },
	pattern: { isMono: true },
};

interface RuleProps {
	draft: RuleDraft;
	/** Its place, and of how many. */
	at: number;
	count: number;
	error: unknown;
	disabled: boolean;
	isNew: boolean;
	onChange(draft: RuleDraft): void;
	onMove(by: -1 | 1): void;
	onRemove(): void;
}

function Rule({ draft, at, count, error, disabled, isNew, onChange, onMove, onRemove }: RuleProps) {
	const [isOpen, setOpen] = useState(isNew);
	const set = (change: Partial<RuleDraft>) => onChange({ ...draft, ...change });
	const faultOf = (member: string) => errorOf(error, `fields.${at}.${member}`);
	const isShown = isOpen || errorOf(error, `fields.${at}`) !== undefined;

	const members: readonly RuleMember[] = FIELD_TYPES[draft.type].members;
	return (
		<li class="rule">
			<div class="row">
				<button type="button" class="rule-toggle" aria-expanded={isShown} onClick={() => setOpen(!isShown)}>
					<Icon name={isShown ? 'down' : 'chevron'} />
					<code>{draft.name || words.fieldRules.newField}</code> <span class="muted small">{summaryOf(draft)}</span>
				</button>
				{!disabled && (
					<span class="row tight">
						<MoveButton direction="up" isPossible={at > 0} name={draft.name} onMove={() => onMove(-1)} />
						<MoveButton direction="down" isPossible={at < count - 1} name={draft.name} onMove={() => onMove(1)} />
						<IconButton icon="trash" label={words.fieldRules.remove(draft.name)} tone="danger" onClick={onRemove} />
					</span>
				)}
			</div>
			{isShown && (
				<fieldset class="rule-body pairs" disabled={disabled}>
					<Field
						label={words.controls.name}
						hint={words.fieldRules.nameHint}
						value={draft.name}
						isMono
						autoFocus={isNew}
						error={faultOf('name')}
						onInput={(text) => set({ name: text })}
					/>
					<Select
						label={words.fieldRules.type}
						options={TYPES}
						value={draft.type}
						error={faultOf('type')}
						onChange={(type) => set({ type: type as FieldType })}
					/>
					<Field
						label={words.fieldRules.label}
						hint={words.fieldRules.labelHint}
						value={draft.label}
						error={faultOf('label')}
						onInput={(label) => set({ label })}
					/>
					<Field
						label={words.fieldRules.sentence}
						hint={words.fieldRules.sentenceHint}
						value={draft.message}
						maxLength={200}
						error={faultOf('message')}
						onInput={(message) => set({ message })}
					/>
					<Switch
						label={words.fieldRules.required}
						isOn={draft.isRequired}
						onChange={(isRequired) => set({ isRequired })}
					/>
					{mayBeUnique(draft) && (
						<Switch
							label={words.fieldRules.unique}
							hint={words.fieldRules.uniqueHint}
							isOn={draft.isUnique}
							onChange={(isUnique) => set({ isUnique })}
						/>
					)}
					{mayBeUnique(draft) && draft.isUnique && (
						<Select
							label={words.fieldRules.onDuplicate}
							options={DUPLICATES}
							value={draft.onDuplicate}
							onChange={(onDuplicate) => set({ onDuplicate: onDuplicate as OnDuplicate })}
						/>
					)}
					{members.map((member) => (
						<Field
							key={member}
							{...words.fieldRules.members[member]}
							{...LOOKS[member]}
							type={draft.type === 'date' ? 'date' : 'text'}
							value={draft[member]}
							error={faultOf(member)}
							onInput={(text) => set({ [member]: text })}
						/>
					))}
				</fieldset>
			)}
		</li>
	);
}

interface MoveProps {
	direction: 'up' | 'down';
	/** At an end the button stays, so that it keeps the focus. */
	isPossible: boolean;
	name: string;
	onMove(): void;
}

function MoveButton({ direction, isPossible, name, onMove }: MoveProps) {
	const button = useRef<HTMLSpanElement>(null);
	const move = () => {
		if (!isPossible) return;
		onMove();
		// The browser takes the focus from an element that is moved.
		requestAnimationFrame(() => button.current?.querySelector('button')?.focus());
	};
	return (
		<span ref={button} class={isPossible ? undefined : 'unavailable'}>
			<IconButton icon={direction} label={words.fieldRules.move(name, direction)} onClick={move} />
		</span>
	);
}

export const fields: Control<Fields, RuleDraft[]> = {
	draft: (rules) => (rules ?? []).map(ruleDraft),
	change: (drafts) => (drafts.length > 0 ? drafts.map(ruleOf) : null),
	Input: FieldsInput,
};

function FieldsInput({ form, name, setting, draft, error, disabled, onChange }: ControlProps<Fields, RuleDraft[]>) {
	const list = useRef<HTMLOListElement>(null);
	/** The one that was added by hand: it is shown open, and gets the focus. */
	const [added, setAdded] = useState<number>();
	const nextId = () => Math.max(-1, ...draft.map(({ id }) => id)) + 1;
	const suggestion = useAction(async () => {
		const { fields: proposed, scanned } = await api.forms.suggestFields(form);
		const known = new Set(draft.map((rule) => rule.name));
		const fresh = proposed.filter((rule) => !known.has(rule.name));
		const first = nextId();
		setAdded(undefined);
		onChange([...draft, ...fresh.map((rule, i) => ruleDraft(rule, first + i))]);
		showToast(words.fieldRules.suggested(fresh.length, scanned));
	});
	const add = () => {
		const id = nextId();
		setAdded(id);
		onChange([...draft, ruleDraft({ name: '', type: 'text' }, id)]);
	};
	const move = (at: number, by: -1 | 1) => {
		const moved = draft[at] as RuleDraft;
		const rest = draft.toSpliced(at, 1);
		onChange(rest.toSpliced(at + by, 0, moved));
		announce(words.fieldRules.moved(moved.name, at + by + 1, draft.length));
	};
	const remove = (at: number) => {
		onChange(draft.toSpliced(at, 1));
		announce(words.fieldRules.removed(draft[at]?.name));
		requestAnimationFrame(() => {
			const next = list.current?.querySelectorAll<HTMLElement>('.rule-toggle')[Math.min(at, draft.length - 2)];
			(next ?? list.current?.parentElement?.querySelector<HTMLElement>('.form-foot button'))?.focus();
		});
	};
	return (
		<SettingFieldset name={name} setting={setting} error={error}>
			<ol class="rules" ref={list}>
				{draft.map((rule, at) => (
					<Rule
						key={rule.id}
						draft={rule}
						at={at}
						count={draft.length}
						error={error}
						disabled={disabled}
						isNew={rule.id === added}
						onChange={(changed) => onChange(draft.with(at, changed))}
						onMove={(by) => move(at, by)}
						onRemove={() => remove(at)}
					/>
				))}
			</ol>
			{!disabled && (
				<div class="form-foot row wrap">
					<Button label={words.fieldRules.add} icon="plus" look="small" onClick={add} />
					{may('read') && (
						<Button
							label={words.fieldRules.suggest}
							look="small"
							disabled={suggestion.isBusy}
							onClick={suggestion.run}
						/>
					)}
				</div>
			)}
			<ActionFailure error={suggestion.error} />
		</SettingFieldset>
	);
}
