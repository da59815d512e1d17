/** Compares the installed packages with `bun.lock`: they must be equal after any installation. npm knows no `bun.lock`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Its message is a sentence. */
export class NotAsLocked extends Error {
	constructor(found: string, wanted: string) {
		super(`Not built: ${found}, and ${wanted}. Remove node_modules, then run "bun install --frozen-lockfile".`);
	}
}

interface Lock {
	packages: Record<string, [spec: string, ...unknown[]]>;
}

/** The name of a package in a path of `bun.lock`, with its scope. */
const NAME = /(?:@[^/]+\/)?[^/]+/g;
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
		/** @throws NotAsLocked if one of them is from another version than the one that is locked */
		finish(): void {
			const { packageManager } = readManifest(root) as { packageManager: string };
			if (packageManager !== `bun@${bunVersion}`)
				throw new NotAsLocked(`this is bun@${bunVersion}`, `package.json says ${packageManager}`);
			const { packages } = Bun.JSONC.parse(readFileSync(join(root, 'bun.lock'), 'utf8')) as Lock;
			const locked = new Map(
				Object.entries(packages).map(([path, [spec]]) => [path.replace(NAME, 'node_modules/$&'), spec]),
			);
			for (const [folder, before] of folders) {
				const { name, version } = readManifest(join(before, folder)) as { name: string; version: string };
				const spec = locked.get(folder);
				if (spec !== `${name}@${version}`)
					throw new NotAsLocked(`${folder} is ${name}@${version}`, `bun.lock says ${spec ?? 'that it is not there'}`);
			}
		},
	};
}

function readManifest(folder: string): unknown {
	return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
