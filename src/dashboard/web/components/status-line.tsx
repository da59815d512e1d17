/** The current mode and whether the server is reachable; always visible. */

import { useEffect, useId } from 'preact/hooks';
import * as api from '../api.ts';
import type { Mode } from '../api-types.ts';
import { isReachable } from '../connection.ts';
import { session, switchMode } from '../state/session.ts';
import { showError } from '../state/toasts.ts';
import { Icon } from './icon.tsx';

const RETRY_MS = 4000;
const NAMES: Record<Mode, string> = { live: 'Live', test: 'Test' };

/** The mode as a badge, or as a switch if the session can use both. */
export function ModeBadge() {
	const group = useId();
	const { mode, modes } = session.value ?? { mode: 'live' as const, modes: [] };
	if (modes.length < 2) {
		return (
			<span
				class={`mode-badge ${mode}`}
				title={mode === 'test' ? 'Mails and webhooks are captured, not sent' : undefined}
			>
				{NAMES[mode]}
			</span>
		);
	}
	return (
		<fieldset class="segments mode-switch">
			<legend class="visually-hidden">Mode</legend>
			{modes.map((choice) => (
				<label key={choice} class={`segment ${choice}`}>
					<input
						type="radio"
						name={group}
						checked={choice === mode}
						onChange={() => switchMode(choice).catch(showError)}
					/>
					<span>{NAMES[choice]}</span>
				</label>
			))}
		</fieldset>
	);
}

const knock = () => api.session.read().catch(() => {});

/** Shown while the server is unreachable; keeps retrying. */
export function ConnectionBanner() {
	const isDown = !isReachable.value;
	useEffect(() => {
		if (!isDown) return;
		const timer = setInterval(knock, RETRY_MS);
		return () => clearInterval(timer);
	}, [isDown]);
	if (!isDown) return null;
	return (
		<div class="banner danger" role="alert">
			<Icon name="warning" />
			<p>The server cannot be reached. What you see may be out of date; trying again every few seconds.</p>
			<button type="button" class="button small" onClick={knock}>
				Retry now
			</button>
		</div>
	);
}
