/**
 * From a recording, all that a disk could hold if the power were cut: what was synced, and of the rest any part.
 *
 * - Content counts in sectors of 512 bytes. Each that was not synced is as it was, as it was written, or torn in between.
 * - The size of a file is one that was synced or set later; where no sector arrived there are zeros.
 * - A name is there once its folder was synced; before, or not. A rename happens as a whole.
 * - A sync that failed may have put any part of it on disk, and what it did not is never written again by a later one, as Linux does it.
 */

import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../seeded.ts';
import type { DiskRecord } from './disk.ts';

const SECTOR = 512;
const ZEROS = new Uint8Array(SECTOR);

/** A value that was written to a place and not synced; there may be several, one after the other. */
interface Pending<T> {
	at: number;
	value: T;
}

interface File {
	size: number;
	sectors: Map<number, Uint8Array>;
	durableSize: number;
	/** As of the last sync, even if that failed. */
	settledSize: number;
	durable: Map<number, Uint8Array>;
	pendingSizes: Pending<number>[];
	pending: Map<number, Pending<Uint8Array>[]>;
}

/** Both sides of a rename happen, or none; once one of the folders was synced, that side has. */
interface Rename {
	isDone: boolean;
	from: Folder;
	to: Folder;
}

interface NameChange {
	at: number;
	name: string;
	/** `null`: removed. */
	node: Node | null;
	rename?: Rename;
}

interface Folder {
	names: Map<string, Node>;
	durable: Map<string, Node>;
	pending: NameChange[];
}

/** Not told apart by inodes, which are used again. */
type Node = File | Folder;

/** How likely it is that something that was not synced is on disk: 0 or 1 for a cut that took, or left, everything. */
export interface Luck {
	sectors: number;
	names: number;
}

/** A disk that says it has synced them, and has not: as a program that does not sync them. */
export type Lie = 'files' | 'folders';

export type Platter = ReturnType<typeof createPlatter>;

/** @param base The folder as it was when the recording began; all in it is on disk. */
export function createPlatter(base: string, random: Random, lie?: Lie) {
	const nodes = new Map<number, Node>();
	const syncs = new Map<number, number>();
	const root = readFolder(base);

	function readFolder(path: string): Folder {
		const folder = newFolder(inodeOf(path));
		for (const { name } of readdirSync(path, { withFileTypes: true })) {
			const inner = join(path, name);
			const child = lstatSync(inner).isDirectory() ? readFolder(inner) : readFile(inner);
			folder.names.set(name, child);
			folder.durable.set(name, child);
		}
		return folder;
	}

	function newFolder(inode: number): Folder {
		const folder = { names: new Map(), durable: new Map(), pending: [] };
		nodes.set(inode, folder);
		return folder;
	}

	function readFile(path: string): File {
		const bytes = readFileSync(path);
		const file = newFile(inodeOf(path));
		file.size = bytes.length;
		file.durableSize = bytes.length;
		file.settledSize = bytes.length;
		for (let at = 0; at < bytes.length; at += SECTOR) {
			const sector = new Uint8Array(SECTOR);
			sector.set(bytes.subarray(at, at + SECTOR));
			file.sectors.set(at / SECTOR, sector);
			file.durable.set(at / SECTOR, sector);
		}
		return file;
	}

	function newFile(inode: number): File {
		const file = {
			...{ size: 0, sectors: new Map(), durableSize: 0, settledSize: 0, durable: new Map() },
			...{ pendingSizes: [], pending: new Map() },
		};
		nodes.set(inode, file);
		return file;
	}

	function resolve(path: string): { folder: Folder; name: string } {
		const parts = path.split('/').filter(Boolean);
		const name = parts.pop() ?? '';
		let folder = root;
		for (const part of parts) folder = folder.names.get(part) as Folder;
		return { folder, name };
	}

	function changeName(path: string, change: Pick<NameChange, 'at' | 'node' | 'rename'>): void {
		const { folder, name } = resolve(path);
		applyName(folder.names, { name, ...change });
		folder.pending.push({ name, ...change });
	}

	function setSector(file: File, sector: number, pending: Pending<Uint8Array>): void {
		file.sectors.set(sector, pending.value);
		const waiting = file.pending.get(sector);
		if (waiting) waiting.push(pending);
		else file.pending.set(sector, [pending]);
	}

	function setSize(file: File, size: number, at: number): void {
		if (size === file.size) return;
		file.size = size;
		file.pendingSizes.push({ at, value: size });
	}

	function write(file: File, { at, number: offset, bytes }: DiskRecord): void {
		for (let done = 0; done < bytes.length; ) {
			const place = offset + done;
			const sector = Math.floor(place / SECTOR);
			const from = place - sector * SECTOR;
			const part = bytes.subarray(done, done + SECTOR - from);
			const value = file.sectors.get(sector)?.slice() ?? new Uint8Array(SECTOR);
			value.set(part, from);
			setSector(file, sector, { at, value });
			done += part.length;
		}
		setSize(file, Math.max(file.size, offset + bytes.length), at);
	}

	function truncate(file: File, size: number, at: number): void {
		for (const [sector, content] of file.sectors) {
			const kept = size - sector * SECTOR;
			if (kept >= SECTOR) continue;
			const value = new Uint8Array(SECTOR);
			if (kept > 0) value.set(content.subarray(0, kept));
			setSector(file, sector, { at, value });
			if (kept <= 0) file.sectors.delete(sector);
		}
		setSize(file, size, at);
	}

	/** Puts what came before `begun` on disk; after a failure any part of it, and the rest is forgotten. */
	function syncFile(file: File, begun: number, hasFailed: boolean): void {
		const arrives = () => !hasFailed || random(2) === 0;
		for (const [sector, pending] of file.pending) {
			const last = pending.findLast(({ at }) => at < begun);
			if (last && arrives()) file.durable.set(sector, last.value);
			const rest = pending.filter(({ at }) => at >= begun);
			if (rest.length > 0) file.pending.set(sector, rest);
			else file.pending.delete(sector);
		}
		const last = file.pendingSizes.findLast(({ at }) => at < begun);
		if (last) file.settledSize = last.value;
		// The size in memory is part of every later sync, even if one failed.
		if (arrives()) file.durableSize = file.settledSize;
		file.pendingSizes = file.pendingSizes.filter(({ at }) => at >= begun);
	}

	function syncFolder(folder: Folder, begun: number): void {
		const due = folder.pending.filter(({ at }) => at < begun);
		folder.pending = folder.pending.filter(({ at }) => at >= begun);
		for (const change of due) {
			applyName(folder.durable, change);
			const { rename } = change;
			if (!rename || rename.isDone) continue;
			rename.isDone = true;
			// With the old name gone for good, the new one is there.
			if (change.node === null) arriveAt(rename);
		}
	}

	function arriveAt(rename: Rename): void {
		const { to } = rename;
		const change = to.pending.find((one) => one.rename === rename && one.node !== null);
		if (!change) return;
		to.pending = to.pending.filter((one) => one !== change);
		applyName(to.durable, change);
	}

	function sync({ inode, number, hasFailed }: DiskRecord): void {
		const begun = syncs.get(number) ?? 0;
		const node = nodes.get(inode);
		if (!node || lie === (isFile(node) ? 'files' : 'folders')) return;
		if (isFile(node)) syncFile(node, begun, hasFailed);
		else if (!hasFailed) syncFolder(node, begun);
	}

	function rename(from: string, to: string, at: number): void {
		const both: Rename = { isDone: false, from: resolve(from).folder, to: resolve(to).folder };
		const node = both.from.names.get(resolve(from).name) as Node;
		changeName(from, { at, node: null, rename: both });
		changeName(to, { at, node, rename: both });
	}

	const namesIn = ({ bytes }: DiskRecord) => new TextDecoder().decode(bytes).split('\0') as [string, string];
	const fileOf = ({ inode }: DiskRecord) => nodes.get(inode) as File;
	const APPLY: Record<DiskRecord['type'], (record: DiskRecord) => void> = {
		write: (record) => write(fileOf(record), record),
		truncate: (record) => truncate(fileOf(record), record.number, record.at),
		'sync begun': ({ number, at }) => void syncs.set(number, at),
		'sync ended': sync,
		create: (record) => changeName(namesIn(record)[0], { at: record.at, node: newFile(record.inode) }),
		'make folder': (record) => changeName(namesIn(record)[0], { at: record.at, node: newFolder(record.inode) }),
		rename: (record) => rename(...namesIn(record), record.at),
		unlink: (record) => changeName(namesIn(record)[0], { at: record.at, node: null }),
	};

	function contentAfterCut(file: File, { sectors: luck }: Luck): Uint8Array {
		const sizes = [file.durableSize, ...file.pendingSizes.map(({ value }) => value)];
		const size = isLucky(luck, random) ? sizes.at(-1) : sizes[random(luck === 0 ? 1 : sizes.length)];
		const bytes = new Uint8Array(size as number);
		const put = (sector: number, content: Uint8Array) => {
			const room = bytes.length - sector * SECTOR;
			if (room > 0) bytes.set(room < SECTOR ? content.subarray(0, room) : content, sector * SECTOR);
		};
		for (const [sector, content] of file.durable) put(sector, content);
		for (const [sector, pending] of file.pending) {
			if (!isLucky(luck, random)) continue;
			const { value } = pending.at(luck === 1 ? -1 : random(pending.length)) as Pending<Uint8Array>;
			put(sector, luck === 1 || random(8) > 0 ? value : torn(file.durable.get(sector) ?? ZEROS, value, random));
		}
		return bytes;
	}

	function namesAfterCut({ durable, pending }: Folder, { names: luck }: Luck, decided: Map<Rename, boolean>) {
		const names = new Map(durable);
		for (const change of pending) {
			const { rename } = change;
			const happens = rename && !rename.isDone ? (decided.get(rename) ?? isLucky(luck, random)) : isLucky(luck, random);
			if (rename && !rename.isDone) decided.set(rename, happens);
			if (happens) applyName(names, change);
		}
		return names;
	}

	return {
		apply(record: DiskRecord): void {
			APPLY[record.type](record);
		},
		/** Makes a folder of what is on the disk after a cut at this moment. */
		cut(target: string, luck: Luck): void {
			const decided = new Map<Rename, boolean>();
			const make = (folder: Folder, path: string) => {
				mkdirSync(path, { mode: 0o700 });
				for (const [name, node] of namesAfterCut(folder, luck, decided)) {
					if (!isFile(node)) make(node, join(path, name));
					else writeFileSync(join(path, name), contentAfterCut(node, luck), { mode: 0o600 });
				}
			};
			make(root, target);
		},
		/** Names of what a folder has otherwise than the recording says; memory that processes share is not recorded. */
		differences(folder: string): string[] {
			const compare = ({ names }: Folder, path: string): string[] => {
				const there = readdirSync(path).filter((name) => !name.endsWith('-shm'));
				const expected = [...names.keys()].filter((name) => !name.endsWith('-shm'));
				if (there.sort().join() !== expected.sort().join()) return [`${path}: ${there} instead of ${expected}`];
				return there.flatMap((name) => {
					const node = names.get(name) as Node;
					if (!isFile(node)) return compare(node, join(path, name));
					return isSame(node, readFileSync(join(path, name))) ? [] : [join(path, name)];
				});
			};
			return compare(root, folder);
		},
	};
}

function inodeOf(path: string): number {
	return lstatSync(path).ino;
}

function isLucky(luck: number, random: Random): boolean {
	return random(1000) < luck * 1000;
}

function isFile(node: Node): node is File {
	return 'sectors' in node;
}

function applyName(names: Map<string, Node>, { name, node }: NameChange): void {
	if (node === null) names.delete(name);
	else names.set(name, node);
}

function torn(before: Uint8Array, after: Uint8Array, random: Random): Uint8Array {
	const from = random(SECTOR);
	const result = before.slice();
	result.set(after.subarray(0, from));
	return result;
}

function isSame({ size, sectors }: File, bytes: Uint8Array): boolean {
	const expected = new Uint8Array(size);
	for (const [sector, content] of sectors) {
		const room = size - sector * SECTOR;
		expected.set(room < SECTOR ? content.subarray(0, room) : content, sector * SECTOR);
	}
	return Buffer.compare(expected, bytes) === 0;
}
