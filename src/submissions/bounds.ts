/** The bounds of the inbox. */

/** The most characters of a search. */
export const SEARCH_MAX = 200;
/** The most words of a word model that are shown. */
export const WORDS_MAX = 100;
