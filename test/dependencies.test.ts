/** The program's dependencies: no version with a known hole, and nothing that depends on where it was installed. */

import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import manifest from '../package.json';

const LOCK = await Bun.file(join(import.meta.dir, '../bun.lock')).text();
const { packages } = Bun.JSONC.parse(LOCK) as { packages: Record<string, [string, ...unknown[]]> };

/** The oldest version of each package without a published hole that concerns a server, and the hole before it. */
const SAFE: [name: string, range: string, hole: string][] = [
	['elysia', '>=1.4.27', 'CVE-2025-66456, CVE-2025-66457, CVE-2026-30837, CVE-2026-31865'],
	['cookie', '>=0.7.0', 'CVE-2024-47764'],
	['drizzle-orm', '>=0.45.2', 'CVE-2026-39356'],
	['nodemailer', '>=10.6.0', 'CVE-2025-14874, GHSA-p6gq-j5cr-w38f, GHSA-2x7j-588g-ccc2 and more before them'],
	['bun', '>=1.4.0', 'oven-sh/bun#29732 (request smuggling), CVE-2026-24910'],
];

/** All versions of a package in the lock, copies nested below other packages included. */
function lockedVersions(name: string): string[] {
	return Object.values(packages)
		.map(([spec]) => spec)
		.filter((spec) => spec.slice(0, spec.lastIndexOf('@')) === name)
		.map((spec) => spec.slice(spec.lastIndexOf('@') + 1));
}

describe('the dependencies', () => {
	test.each(SAFE)('have %s at %s because of %s', (name, range) => {
		const versions = lockedVersions(name);
		expect(versions).not.toBeEmpty();
		expect(versions.filter((version) => !Bun.semver.satisfies(version, range))).toEqual([]);
	});

	test('are run by a Bun without known request smuggling', () => {
		expect(Bun.semver.satisfies(Bun.version, '>=1.4.0')).toBe(true);
	});

	test('bring an SQLite without the WAL-reset bug', () => {
		using db = new Database(':memory:');
		const row = db.query<{ version: string }, []>('select sqlite_version() as version').get();
		expect(Bun.semver.satisfies(row?.version ?? '', '>=3.51.3')).toBe(true);
	});

	test('are pinned to exact versions', () => {
		const ranges = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
		expect(ranges.filter(([, version]) => !/^\d+\.\d+\.\d+(-beta\.\d+)?$/.test(version))).toEqual([]);
	});

	test('name one version of bun everywhere', async () => {
		const files = ['README.md', 'Dockerfile', '.ci/run', '.github/workflows/ci.yml'];
		const texts = await Promise.all(files.map((file) => Bun.file(join(import.meta.dir, '..', file)).text()));
		const named = texts.flatMap((text) => text.match(/\b(?:bun@|BUN_VERSION=)\d+\.\d+\.\d+/g) ?? []);
		const versions = new Set([...named, manifest.packageManager].map((name) => name.replace(/^\D+/, '')));
		expect([...versions]).toEqual([manifest.devDependencies.bun]);
	});

	test('are locked without naming a host', () => {
		expect(LOCK.match(/https?:\/\/[^"]+/g)).toBeNull();
	});
});
