/** How long and how many the settings of a form may be. */

export const NAME_MAX = 200;
export const SLUG_MAX = 64;
export const URL_MAX = 2048;
export const EMAILS_MAX = 10;
export const DOMAINS_MAX = 50;
