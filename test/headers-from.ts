import type { HeaderReader } from '../src/forms/allowed-domains.ts';

/** The headers of a request from a page; unlike real ones they take any text. */
export function headersFrom(page: { origin?: string | null; referer?: string | null }): HeaderReader {
	return { get: (name) => page[name as 'origin' | 'referer'] ?? null };
}
