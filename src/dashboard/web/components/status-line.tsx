/** The current mode and whether the server is reachable; always visible. */

import { useEffect } from 'preact/hooks';
import * as api from '../api.ts';
import type { Mode } from '../api-types.ts';
import { isReachable } from '../connection.ts';
import { session, switchMode } from '../state/session.ts';
import { showError } from '../state/toasts.ts';
import { Button } from './buttons.tsx';
import { Icon } from './icon.tsx';
import { Segments } from './inputs.tsx';

const RETRY_MS = 4000;
const NAMES: Record<Mode, string> = { live: 'Live', test: 'Test' };

/** The mode as a badge, or as a switch if the session can use both. */
export function ModeBadge() {
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
		<Segments
			legend="Mode"
			class="mode-switch"
			options={modes.map((value) => ({ value, label: NAMES[value] }))}
			value={mode}
			onChange={(choice) => switchMode(choice).catch(showError)}
		/>
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
			<Button label="Retry now" look="small" onClick={knock} />
		</div>
	);
}
