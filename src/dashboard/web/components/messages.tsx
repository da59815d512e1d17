/** Messages in place of the content of a view or above it. */

import type { ComponentChildren } from 'preact';
import { isOfFields, messageOf } from '../field-errors.ts';
import * as words from '../sentences/words.ts';
import type { Query } from '../use-query.ts';
import { Button } from './buttons.tsx';
import { Icon, type IconName } from './icon.tsx';

interface EmptyProps {
	icon: IconName;
	title: string;
	children?: ComponentChildren;
}

/** The content of an empty view: what will appear here, and how. */
export function EmptyState({ icon, title, children }: EmptyProps) {
	return (
		<div class="empty stack">
			<span class="empty-icon">
				<Icon name={icon} />
			</span>
			<h2>{title}</h2>
			{children}
		</div>
	);
}

/** Why loading failed, with a button to retry. */
export function LoadFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
	return (
		<EmptyState icon="warning" title={words.controls.notLoaded}>
			<p role="alert">{messageOf(error)}</p>
			<Button label={words.controls.tryAgain} onClick={onRetry} />
		</EmptyState>
	);
}

/** Renders what a query has loaded; until then nothing, or why it failed. */
export function Loaded<T>({ query, children }: { query: Query<T>; children: (data: T) => ComponentChildren }) {
	const { data, error, reload } = query;
	if (data !== undefined) return <>{children(data)}</>;
	return error === undefined ? null : <LoadFailure error={error} onRetry={reload} />;
}

export const Loading = () => <div class="loading" role="status" aria-label={words.controls.loading} />;

interface NoticeProps {
	tone?: 'warning' | 'good' | 'bad';
	icon?: IconName;
	/** For what appears later: how screen readers announce it. */
	role?: 'status' | 'alert';
	children: ComponentChildren;
}

/** A sentence on a coloured ground. */
export function Notice({ tone, icon, role, children }: NoticeProps) {
	return (
		<p class={tone ? `notice ${tone}` : 'notice'} role={role}>
			{icon && <Icon name={icon} />}
			<span>{children}</span>
		</p>
	);
}

/** Why an action failed, unless inputs say so beside themselves. */
export function ActionFailure({ error }: { error: unknown }) {
	if (error === undefined || isOfFields(error)) return null;
	return (
		<Notice tone="bad" role="alert">
			{messageOf(error)}
		</Notice>
	);
}
