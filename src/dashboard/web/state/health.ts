/** Signals for the navigation that the server needs its operator. */

import { signal } from '@preact/signals';
import * as api from '../api.ts';
import type { Status } from '../api-types.ts';
import { may } from './session.ts';

/** Problems that need attention, in sentences; empty if there are none. */
export const attention = signal('');

const LOOK_EVERY_MS = 60_000;
let lookedAt = Number.NEGATIVE_INFINITY;

export async function readStatus(): Promise<Status> {
	lookedAt = performance.now();
	const status = await api.server.status();
	attention.value = status.health === 'ok' ? '' : status.health;
	return status;
}

/** To be called when the operator does something, not by a timer, which would keep the session alive. Looks once a minute at most. */
export async function lookAtHealth(): Promise<void> {
	if (may('admin') && performance.now() - lookedAt >= LOOK_EVERY_MS) await readStatus();
}
