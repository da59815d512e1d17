/** Limits of one request. */

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 100;
/** In characters. */
export const SEARCH_MAX = 200;
