/** Typed text that is not stored: a view that is left and opened again has it still, until the session ends. */

let drafts = new Map<string, unknown>();

/** By the place where it was typed. */
export const unsaved = <T>(): Map<string, T> => drafts as Map<string, T>;

/** Those of a session are not for the next one, which may be another person's. */
export function forgetUnsaved(): void {
	drafts = new Map();
}
