/** Rows of keys become shortcuts. */

import { describe, expect, test } from 'bun:test';
import { createChords } from '../../../src/dashboard/web/shortcuts.ts';

describe('chords', () => {
	let time = 0;
	const start = () => createChords(new Set(['g']), () => time);

	test('join a leader and the next key', () => {
		const read = start();
		expect([read('j'), read('g'), read('f'), read('f')]).toEqual(['j', 'g', 'g f', 'f']);
	});

	test('forget a leader that was left alone', () => {
		const read = start();
		expect(read('g')).toBe('g');
		time += 1000;
		expect(read('f')).toBe('f');
	});

	test('do not lead twice', () => {
		const read = start();
		expect([read('g'), read('g'), read('f')]).toEqual(['g', 'g g', 'f']);
	});
});
