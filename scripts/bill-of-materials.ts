/** The bill of materials of the program, in the format CycloneDX: the packages of `bun.lock` that are built in, and Bun. */

import { join } from 'node:path';
import { folderOf, namesIn, readLock, readManifest } from './installed.ts';

/** @param paths the packages that are built in, by their paths in `bun.lock` */
export function billOfMaterials(root: string, paths: readonly string[]) {
	const { packages } = readLock(root);
	const own = readManifest(root);
	const components = new Map(['bun', ...paths].map((path) => [path, component(path)]));

	function component(path: string) {
		const { name, version, license } = readManifest(join(root, folderOf(path)));
		const [, , , hash = ''] = packages[path] ?? [];
		const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
		return {
			type: path === 'bun' ? 'platform' : 'library',
			'bom-ref': purl,
			name,
			version,
			hashes: [{ alg: 'SHA-512', content: Buffer.from(hash.replace(/^sha512-/, ''), 'base64').toString('hex') }],
			licenses: [{ expression: license }],
			purl,
		};
	}

	/** The packages that one imports, each from the nearest folder that has it. */
	function importedBy(path: string): string[] {
		const folders = namesIn(path);
		const nearest = (name: string) => {
			const places = [...folders.keys(), folders.length].map((depth) => [...folders.slice(0, depth), name].join('/'));
			return components.get(places.findLast((place) => place in packages) ?? '');
		};
		const names = Object.keys(packages[path]?.[2].dependencies ?? {});
		return names.flatMap((name) => nearest(name)?.['bom-ref'] ?? []);
	}

	const ref = `${own.name}@${own.version}`;
	const { name, version, description, license } = own;
	return {
		bomFormat: 'CycloneDX',
		specVersion: '1.6',
		version: 1,
		metadata: {
			component: {
				type: 'application',
				'bom-ref': ref,
				name,
				version,
				description,
				licenses: [{ expression: license }],
			},
		},
		components: [...components.values()],
		dependencies: [
			{ ref, dependsOn: [...components.values()].map((one) => one['bom-ref']) },
			...[...components].map(([path, one]) => ({ ref: one['bom-ref'], dependsOn: importedBy(path) })),
		],
	};
}
