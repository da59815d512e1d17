/** The current mode, and whether the server can be reached; always visible. */

import { useEffect } from 'preact/hooks';
import { announce } from '../announce.ts';
import * as api from '../api.ts';
import * as words from '../sentences/words.ts';

import { session, switchMode } from '../state/session.ts';
import { showError } from '../state/toasts.ts';
import { Icon } from './icon.tsx';
import { Segments } from './inputs.tsx';

const RETRY_MS = 1000;

/** The mode as a badge, or as a switch if the session can use both. */
export function ModeBadge() {
	const { mode, modes } = session.value ?? { mode: 'live' as const, modes: [] };
	if (modes.length < 2) {
		return (
			<span class={`chip ${mode}`} title={mode === 'test' ? words.frame.testModeHint : undefined}>
				{words.frame.modes[mode]}
			</span>
		);
	}
	return (
		<Segments
			legend={words.frame.mode}
			class="mode-switch"
			options={modes.map((value) => ({ value, label: words.frame.modes[value] }))}
			value={mode}
			onChange={(choice) => switchMode(choice).catch(showError)}
		/>
	);
}

/** Shown while the server cannot be reached; asks it every second. */
export function ConnectionBanner() {
	const isDown = !api.isReachable.value;
	useEffect(() => {
		const probe = () => api.server.probe().catch(() => {});
		if (!isDown) {
			addEventListener('offline', probe);
			return () => removeEventListener('offline', probe);
		}
		const timer = setInterval(probe, RETRY_MS);
		return () => {
			clearInterval(timer);
			announce(words.frame.connectedAgain);
		};
	}, [isDown]);
	if (!isDown) return null;
	return (
		<div class="banner row danger" role="alert">
			<Icon name="warning" />
			<p>{words.frame.connectionLost}</p>
		</div>
	);
}
