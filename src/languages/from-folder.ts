/** Contents of the catalogues, for code that calls it when it is built: a new file in their folder is all that a language takes. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Catalogue, Key } from './catalogue.ts';

const FOLDER = join(import.meta.dir, 'catalogues');

/** The codes of all languages. */
export function languageCodes(): string[] {
	const codes = readdirSync(FOLDER).map((file) => file.replace(/\.ts$/, ''));
	return codes.sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
}

/** The codes with the names of the languages. */
export function languageLabels(): Record<string, { label: string }> {
	return Object.fromEntries(languageCodes().map((code) => [code, { label: nameOf(code) }]));
}

/** All catalogues. */
export async function catalogues(): Promise<Record<string, Catalogue>> {
	const entries = languageCodes().map(async (code) => {
		const { catalogue } = (await import(join(FOLDER, `${code}.ts`))) as { catalogue: Catalogue };
		return [code, catalogue] as const;
	});
	return Object.fromEntries(await Promise.all(entries));
}

/** A few sentences in all languages. */
export async function sentencesOf(...keys: Key[]): Promise<Record<string, string[]>> {
	const entries = Object.entries(await catalogues()).map(([code, all]) => [code, keys.map((key) => `${all[key]}`)]);
	return Object.fromEntries(entries);
}

function nameOf(code: string): string {
	return new Intl.DisplayNames('en', { type: 'language' }).of(code) ?? code;
}
