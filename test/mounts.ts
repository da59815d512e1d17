/** File systems that a test mounts, gone when it is over. */

import { afterEach } from 'bun:test';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const mayMount = process.getuid?.() === 0 && Bun.which('mount') !== null;

const mounted = new Set<string>();
afterEach(() => {
	for (const place of mounted) {
		mounted.delete(place);
		unmount(place);
		rmdirSync(place);
	}
});

const newPlace = () => mkdtempSync(join(tmpdir(), 'formsrv-test-'));

function mount(place: string, ...args: string[]): string {
	const { success, stderr } = Bun.spawnSync(['mount', ...args, place]);
	if (!success) throw new Error(`${place} could not be mounted: ${stderr}`);
	mounted.add(place);
	return place;
}

/** Even while it is in use. */
export const unmount = (place: string) => Bun.spawnSync(['umount', '-l', place]);

/** A disk in memory, of a size such as `64m`. */
export const mountDisk = (size: string) => mount(newPlace(), '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs');

/** A second path of a folder. */
export const mountFolder = (folder: string, place = newPlace()) => mount(place, '--bind', folder);

/** A second path of a folder, by which it cannot be written to. */
export const mountReadOnly = (folder: string) => mount(mountFolder(folder), '-o', 'remount,ro,bind');
