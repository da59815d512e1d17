/** The headers of a request from a page; unlike real ones they take any text. */
export function headersFrom(page: { origin?: string | null; referer?: string | null }): Pick<Headers, 'get'> {
	return { get: (name) => page[name as 'origin' | 'referer'] ?? null };
}
