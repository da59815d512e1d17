/** Typed text that is not stored, of this session: a view that is left and opened again has it still. */

import { session } from './session.ts';

const ofSessions = new WeakMap<object, Map<string, unknown>>();

/** By the place where it was typed. */
export function unsaved<T>(): Map<string, T> {
	const owner = session.value ?? {};
	const drafts = ofSessions.get(owner) ?? new Map<string, unknown>();
	ofSessions.set(owner, drafts);
	return drafts as Map<string, T>;
}
