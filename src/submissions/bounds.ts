/** The most characters of a search. */

export const SEARCH_MAX = 200;
