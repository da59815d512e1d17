/** Decides between signing in and the dashboard itself. */

import { useCallback, useEffect, useState } from 'preact/hooks';
import { announcement } from './announce.ts';
import { navigate, route } from './location.ts';
import { LoadFailure } from './parts/load-failure.tsx';
import { ToastRegion } from './parts/toast-region.tsx';
import { to } from './router.ts';
import { Shell } from './shell.tsx';
import { resumeSession, session, signIn, signInNotice } from './state/session.ts';
import { SignIn } from './views/sign-in.tsx';

/** Uses the token of a set-up link, and takes it out of the address at once. */
async function useSetupLink(token: string): Promise<void> {
	navigate(to.forms());
	try {
		await signIn({ token });
	} catch (error) {
		signInNotice.value = error instanceof Error ? error.message : 'This link does not work any more.';
	}
}

function Content({ failure, onRetry }: { failure: unknown; onRetry: () => void }) {
	if (session.value) return <Shell key={session.value.mode} />;
	if (session.value === null) return <SignIn />;
	return failure === undefined ? (
		<div class="loading" role="status" aria-label="Loading" />
	) : (
		<LoadFailure error={failure} onRetry={onRetry} />
	);
}

export function App() {
	const [failure, setFailure] = useState<unknown>(undefined);
	const start = useCallback(() => {
		setFailure(undefined);
		resumeSession().catch(setFailure);
	}, []);
	const current = route.value;
	const token = current.view === 'setup' ? current.token : undefined;
	useEffect(start, [start]);
	useEffect(() => {
		if (token !== undefined) void useSetupLink(token);
	}, [token]);
	return (
		<>
			<Content failure={failure} onRetry={start} />
			<ToastRegion />
			<div class="visually-hidden" aria-live="polite" role="status">
				{announcement.value}
			</div>
		</>
	);
}
