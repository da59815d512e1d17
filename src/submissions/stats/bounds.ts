/** Bounds of the counts, for browsers too. */

export const DAYS_DEFAULT = 30;
export const DAYS_MAX = 366;
/** Deliveries that failed are counted up to so many. */
export const FAILED_MAX = 100;
