/** How long the name of a key may be. */

export const KEY_NAME_MAX = 200;
