/** How much can be asked for at once. */

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 100;
/** Characters of a search. */
export const SEARCH_MAX = 200;
