/** Compares the installed packages with `bun.lock`: they must be equal after any installation. npm knows no `bun.lock`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its message is a sentence. */
export class NotBuilt extends Error {}

function notAsLocked(found: string, wanted: string): NotBuilt {
	const remedy = 'Remove node_modules, then run "bun install --frozen-lockfile".';
	return new NotBuilt(`Not built: ${found}, and ${wanted}. ${remedy}`);
}

export interface Lock {
	lockfileVersion: number;
	configVersion: number;
	/** By the path of the package, such as `tar/minipass` for the one that only `tar` uses. */
	packages: Record<
		string,
		[spec: string, registry: string, facts: { dependencies?: Record<string, string> }, hash: string]
	>;
}

export function readLock(root: string): Lock {
	return Bun.JSONC.parse(readFileSync(join(root, 'bun.lock'), 'utf8')) as Lock;
}

/** The names of packages in a path of `bun.lock`, with their scopes. */
export const namesIn = (path: string): string[] => path.match(/(?:@[^/]+\/)?[^/]+/g) ?? [];
/** The folder in which a package is installed, from its path in `bun.lock`. */
export const folderOf = (path: string): string =>
	namesIn(path)
		.map((name) => `node_modules/${name}`)
		.join('/');
/** The folder of the package that a file belongs to, from the first `node_modules` on. */
const FOLDER = /^(.*?)(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)\//;

export function createCheck(root: string, bunVersion = Bun.version) {
	/** With what lies before them. */
	const folders = new Map<string, string>();
	return {
		/** Takes note of a file that is built in. */
		note(path: string): void {
			const [, before = '', folder] = FOLDER.exec(path) ?? [];
			if (folder !== undefined) folders.set(folder, before);
		},
		/**
		 * @returns the packages that are built in, by their paths in `bun.lock`
		 * @throws NotBuilt if one of them is from another version than the one that is locked
		 */
		finish(): string[] {
			const { packageManager } = readManifest(root);
			if (packageManager !== `bun@${bunVersion}`)
				throw notAsLocked(`this is bun@${bunVersion}`, `package.json says ${packageManager}`);
			const locked = new Map(Object.entries(readLock(root).packages).map(([path, [spec]]) => [folderOf(path), spec]));
			for (const [folder, before] of folders) {
				const { name, version } = readManifest(join(before, folder));
				const spec = locked.get(folder);
				if (spec !== `${name}@${version}`)
					throw notAsLocked(`${folder} is ${name}@${version}`, `bun.lock says ${spec ?? 'that it is not there'}`);
			}
			return [...folders.keys()].map((folder) => folder.replaceAll('node_modules/', '')).sort();
		},
	};
}

interface Manifest {
	name: string;
	version: string;
	description: string;
	license: string;
	packageManager: string;
}

export function readManifest(folder: string): Manifest {
	return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}
