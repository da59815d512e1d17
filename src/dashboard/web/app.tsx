/** Shows the sign-in view or the dashboard. */

import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { announcement } from './announce.ts';
import { LoadFailure, Loading } from './components/messages.tsx';
import { ToastRegion } from './components/toast-region.tsx';
import { navigate, route } from './location.ts';
import { to } from './router.ts';
import { Shell } from './shell.tsx';
import { readSession, resumeSession, session, signIn, signInNotice } from './state/session.ts';
import { showError } from './state/toasts.ts';
import { SignIn } from './views/sign-in.tsx';

/** Signs in by a setup link in the address, whose token it removes at once; else resumes the session that there is. */
async function start(): Promise<void> {
	const at = route.peek();
	if (at.view === 'signed-in') {
		navigate(to.forms());
		return readSession();
	}
	if (at.view !== 'setup') return resumeSession();
	navigate(to.forms());
	try {
		await signIn({ token: at.token });
	} catch (error) {
		await resumeSession();
		if (!(error instanceof Error)) return;
		if (session.value) showError(error);
		else signInNotice.value = error.message;
	}
}

function Content({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
	if (session.value) return <Shell key={JSON.stringify(session.value)} />;
	if (session.value === null) return <SignIn />;
	return failure === undefined ? <Loading /> : <LoadFailure error={failure} onRetry={onRetry} />;
}

export function App() {
	const [failure, setFailure] = useState<unknown>(undefined);
	const hasBegun = useRef(false);
	const isSetup = route.value.view === 'setup';
	const begin = useCallback(() => {
		setFailure(undefined);
		start().catch(setFailure);
	}, []);
	// Before the first paint, which would delay the request for the session.
	useLayoutEffect(() => {
		if (hasBegun.current && !isSetup) return;
		hasBegun.current = true;
		begin();
	}, [isSetup, begin]);
	return (
		<>
			<Content failure={failure} onRetry={begin} />
			<ToastRegion />
			<div class="visually-hidden" aria-live="polite" role="status">
				{announcement.value}
			</div>
		</>
	);
}
