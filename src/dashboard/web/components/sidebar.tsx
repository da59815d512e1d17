/** The navigation: forms with their unread counts, the other views, and the session. */

import { useLayoutEffect, useRef } from 'preact/hooks';
import { formatCount } from '../../../text/plural.ts';
import type { Form } from '../api-types.ts';
import { route } from '../location.ts';
import { to } from '../router.ts';
import * as words from '../sentences/words.ts';
import { forms, unreadIn } from '../state/forms.ts';
import { attention } from '../state/health.ts';
import { may, session, signOut } from '../state/session.ts';
import { chooseTheme, THEMES, theme } from '../state/theme.ts';
import { showError } from '../state/toasts.ts';
import { useFirstScreen } from '../use-first-screen.ts';
import { IconButton } from './buttons.tsx';
import { Icon, type IconName } from './icon.tsx';
import { ModeBadge } from './status-line.tsx';

interface LinkProps {
	icon: IconName;
	label: string;
	view: 'forms' | 'deliveries' | 'audit' | 'keys' | 'settings';
	/** Reasons why the page needs attention, in sentences. */
	attention?: string;
}

function NavLink({ icon, label, view, attention }: LinkProps) {
	return (
		<li>
			<a class="nav-link row" href={to[view]()} aria-current={route.value.view === view ? 'page' : undefined}>
				<Icon name={icon} />
				<span class="nav-name clip">{label}</span>
				{attention && (
					<span class="count attention" title={attention}>
						<span aria-hidden="true">!</span>
						<span class="visually-hidden">{words.frame.needsAttention}</span>
					</span>
				)}
			</a>
		</li>
	);
}

function FormLink({ form }: { form: Form }) {
	const at = route.value;
	const isCurrent = 'form' in at && at.view !== 'deliveries' && at.form === form.id;
	return (
		<li>
			<a
				class={form.isActive ? 'nav-link row' : 'nav-link row paused'}
				href={to.inbox(form.id)}
				aria-current={isCurrent ? 'page' : undefined}
			>
				<span class="nav-dot" />
				<bdi class="nav-name clip">{form.name}</bdi>
				{!form.isActive && <span class="visually-hidden">{words.frame.paused}</span>}
				{unreadIn(form) > 0 && (
					<span class="count">
						{formatCount(unreadIn(form))}
						<span class="visually-hidden">{words.frame.unread}</span>
					</span>
				)}
			</a>
		</li>
	);
}

const FORMS_ON_A_SCREEN = 40;

function FormLinks({ forms }: { forms: readonly Form[] }) {
	const shown = useFirstScreen(forms, FORMS_ON_A_SCREEN);
	return (
		<ul aria-labelledby="nav-forms" class="nav-forms">
			{shown.map((form) => (
				<FormLink key={form.id} form={form} />
			))}
		</ul>
	);
}

const THEME_ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

function ThemeButton() {
	const current = theme.value;
	const next = THEMES[(THEMES.indexOf(current) + 1) % THEMES.length] ?? 'system';
	return (
		<IconButton
			icon={THEME_ICONS[current]}
			label={words.frame.theme(current, next)}
			onClick={() => chooseTheme(next)}
		/>
	);
}

function Contents({ onHelp }: { onHelp: () => void }) {
	return (
		<>
			<div class="sidebar-head spread">
				<a class="brand row" href={to.forms()}>
					<span class="brand-mark" />
					formsrv
				</a>
				<ModeBadge />
			</div>
			<div class="sidebar-nav">
				<ul>{!session.value?.form && <NavLink icon="forms" label={words.frame.allForms} view="forms" />}</ul>
				<h2 class="nav-title" id="nav-forms">
					{words.frame.forms}
				</h2>
				<FormLinks forms={forms.value ?? []} />
				{may('audit') && (
					<ul class="nav-bottom">
						{may('admin') && <NavLink icon="send" label={words.frame.deliveries} view="deliveries" />}
						{may('admin') && <NavLink icon="key" label={words.frame.apiKeys} view="keys" />}
						<NavLink icon="history" label={words.frame.auditLog} view="audit" />
						{may('admin') && (
							<NavLink icon="settings" label={words.frame.server} view="settings" attention={attention.value} />
						)}
					</ul>
				)}
			</div>
			<div class="sidebar-foot row">
				<ThemeButton />
				<IconButton icon="keyboard" label={words.frame.shortcuts} hotkey="?" onClick={onHelp} />
				<IconButton icon="signOut" label={words.frame.signOut} onClick={() => signOut().catch(showError)} />
				<span class="muted small end">{session.value?.version}</span>
			</div>
		</>
	);
}

export function Sidebar({ onHelp }: { onHelp: () => void }) {
	return (
		<nav class="sidebar" aria-label={words.frame.main}>
			<Contents onHelp={onHelp} />
		</nav>
	);
}

/** The same navigation on a narrow screen, over the page. */
export function SidebarDrawer({ onHelp, onClose }: { onHelp: () => void; onClose: () => void }) {
	const element = useRef<HTMLDialogElement>(null);
	useLayoutEffect(() => element.current?.showModal(), []);
	return (
		<dialog
			ref={element}
			class="drawer"
			aria-label={words.frame.menu}
			onClose={onClose}
			onMouseDown={(event) => event.target === element.current && onClose()}
		>
			<nav class="sidebar" aria-label={words.frame.main}>
				<Contents
					onHelp={() => {
						onClose();
						onHelp();
					}}
				/>
			</nav>
		</dialog>
	);
}
