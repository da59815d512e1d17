/** Single-key shortcuts and two-key chords; ignored while the user types. */

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

export type Bindings = Record<string, () => void>;

const CHORD_MS = 1000;
const STORED_AS = 'formsrv.shortcuts';

export const areShortcutsOn = signal(true);

export function restoreShortcuts(): void {
	areShortcutsOn.value = localStorage.getItem(STORED_AS) !== 'off';
}

export function switchShortcuts(isOn: boolean): void {
	areShortcutsOn.value = isOn;
	localStorage.setItem(STORED_AS, isOn ? 'on' : 'off');
}

/** Turns key presses into binding names: `g` then `f` within a second is `g f`. */
export function createChords(leaders: ReadonlySet<string>, now: () => number = Date.now): (key: string) => string {
	let leader: { key: string; at: number } | undefined;
	return (key) => {
		const pending = leader !== undefined && now() - leader.at < CHORD_MS ? leader.key : undefined;
		leader = pending === undefined && leaders.has(key) ? { key, at: now() } : undefined;
		return pending === undefined ? key : `${pending} ${key}`;
	};
}

/** Returns whether the focused element handles the key press. */
function isTaken(event: KeyboardEvent): boolean {
	if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || event.isComposing) return true;
	const target = event.target as HTMLElement;
	if (target.closest('dialog[open]')) return true;
	if (event.key === 'Escape') return false;
	if (target.matches('input[type="checkbox"], input[type="radio"]')) return false;
	return target.matches('input, textarea, select, [contenteditable]');
}

const read = createChords(new Set(['g']));
const layers: { current: Bindings }[] = [];

function press(event: KeyboardEvent): void {
	if (isTaken(event) || (!areShortcutsOn.value && event.key !== 'Escape')) return;
	const name = read(event.key);
	const action = layers.findLast(({ current }) => Object.hasOwn(current, name))?.current[name];
	if (action === undefined) return;
	event.preventDefault();
	action();
}

/** Starts to listen; bindings exist while their components are mounted. */
export function listenForShortcuts(): void {
	addEventListener('keydown', press);
}

/** Binds keys while the component is mounted; the latest component wins. */
export function useShortcuts(bindings: Bindings): void {
	const latest = useRef(bindings);
	latest.current = bindings;
	useEffect(() => {
		layers.push(latest);
		return () => {
			layers.splice(layers.indexOf(latest), 1);
		};
	}, []);
}
