/** The maximum length of a key's name. */

export const KEY_NAME_MAX = 200;
