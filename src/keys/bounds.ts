/** The maximum length of a key's name, the permissions of form-level keys, and how long a rotated key may stay valid. */

import type { Permission } from '../storage/tables.ts';

export const KEY_NAME_MAX = 200;
export const FORM_KEY_PERMISSIONS: readonly Permission[] = ['read', 'write', 'submit'];
export const KEY_FORMS_MAX = 20;
export const OVERLAP_MAX_SECONDS = 30 * 24 * 60 * 60;
