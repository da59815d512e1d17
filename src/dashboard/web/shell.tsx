/** The frame around every view: navigation, mode, connection, live events and global shortcuts. */

import { effect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from './components/buttons.tsx';
import { LoadFailure } from './components/messages.tsx';
import { NotFound } from './components/page.tsx';
import { Sidebar, SidebarDrawer } from './components/sidebar.tsx';
import { ConnectionBanner, ModeBadge } from './components/status-line.tsx';
import { fetchViews } from './fetch-views.ts';
import { navigate, route } from './location.ts';
import { EMPTY_QUERY, type Route, to } from './router.ts';
import * as words from './sentences/words.ts';
import { useShortcuts } from './shortcuts.ts';
import { forgetForms, forms, loadForms, refreshFormsSoon } from './state/forms.ts';
import { lookAtHealth } from './state/health.ts';
import { openLiveEvents, useLiveEvents } from './state/live.ts';
import { may, session } from './state/session.ts';
import { showError, undoNewest } from './state/toasts.ts';
import { type Query, useQuery } from './use-query.ts';
import { FormsList } from './views/forms-list.tsx';
import { InboxView } from './views/inbox.tsx';
import type { ShortcutHelp } from './views/shortcut-help.tsx';

/** A browser keeps the failure of a module as long as the page, so that only a new page can try again. */
const reloadPage = () => location.reload();

function Elsewhere({ at }: { at: Route }) {
	const { data: views, error } = useQuery('views', fetchViews);
	useLiveEvents(({ type }) => type === 'resumed' && error !== undefined && reloadPage());
	if (error !== undefined) return <LoadFailure error={error} onRetry={reloadPage} />;
	if (views === undefined) return null;
	const { Audit, ConnectPage, Deliveries, FormSettings, Keys, Settings } = views;
	if (at.view === 'connect') return <ConnectPage key={at.form} form={at.form} />;
	if (at.view === 'form-settings') return <FormSettings key={at.form} form={at.form} group={at.group} />;
	if (at.view === 'deliveries') return <Deliveries at={at} />;
	if (at.view === 'audit') return <Audit at={at} />;
	if (at.view === 'keys') return <Keys />;
	if (at.view === 'settings') return <Settings />;
	return <NotFound />;
}

function View({ at }: { at: Route }) {
	const only = session.value?.form;
	if (at.view === 'forms')
		return only ? <InboxView key={only} form={only} submission={null} query={EMPTY_QUERY} /> : <FormsList />;
	if (at.view === 'inbox')
		return <InboxView key={at.form} form={at.form} submission={at.submission} query={at.query} />;
	return <Elsewhere at={at} />;
}

/** A new view starts at its top, focused; the inbox manages the focus of its panes. */
function useFocusOnView(at: Route): void {
	const place = 'form' in at ? `${at.view} ${at.form}` : at.view;
	const shown = useRef(place);
	// Before it is painted: later it would take the focus from where a person has put it by then.
	useLayoutEffect(() => {
		// A view that just opened is at its top already; scrolling it would force a second layout.
		if (place === shown.current) return;
		shown.current = place;
		document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
		document.querySelector('#main')?.scrollTo(0, 0);
	}, [place]);
}

/** The rest runs after the requests of the view itself. */
const REST_AFTER_MS = 1000;

/** @returns the reading of the forms, which every view needs */
function useServer(at: Route): Query<void> {
	const reading = useQuery('forms', loadForms);
	useLayoutEffect(() => (may('read') ? openLiveEvents() : undefined), []);
	useLayoutEffect(() => forgetForms, []);
	useLiveEvents(({ type }) => type !== 'resumed' && refreshFormsSoon());
	useEffect(() => {
		const timer = setTimeout(() => {
			fetchViews().catch(() => {});
			lookAtHealth().catch(() => {});
		}, REST_AFTER_MS);
		return () => clearTimeout(timer);
	}, [at]);
	return reading;
}

export function Shell() {
	const at = route.value;
	const [Help, setHelp] = useState<typeof ShortcutHelp>();
	const [isMenuOpen, setMenuOpen] = useState(false);
	const { error, reload } = useServer(at);
	const isWithoutForms = forms.value === undefined && error !== undefined;
	useFocusOnView(at);
	useEffect(() => effect(() => void (route.value && setMenuOpen(false))), []);
	const openHelp = () =>
		fetchViews()
			.then((views) => setHelp(() => views.ShortcutHelp))
			.catch(showError);
	useShortcuts({
		'?': openHelp,
		z: undoNewest,
		'g f': () => navigate(to.forms()),
		'g d': () => navigate(to.deliveries()),
		'g a': () => navigate(to.audit()),
		'g k': () => navigate(to.keys()),
		'g s': () => navigate(to.settings()),
	});
	return (
		<div class={`shell ${session.value?.mode}`}>
			<button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('#main')?.focus()}>
				{words.frame.skip}
			</button>
			<header class="topbar row">
				<IconButton icon="menu" label={words.frame.menu} onClick={() => setMenuOpen(true)} />
				<a class="brand row" href={to.forms()}>
					formsrv
				</a>
				<ModeBadge />
			</header>
			<Sidebar onHelp={openHelp} />
			{isMenuOpen && <SidebarDrawer onHelp={openHelp} onClose={() => setMenuOpen(false)} />}
			<main id="main" class="main" tabIndex={-1}>
				<ConnectionBanner />
				{isWithoutForms ? <LoadFailure error={error} onRetry={reload} /> : <View at={at} />}
			</main>
			{Help && <Help onClose={() => setHelp(undefined)} />}
		</div>
	);
}
