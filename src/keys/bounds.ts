/** The maximum length of a key's name, and the permissions of form-level keys. */

import type { Permission } from '../storage/tables.ts';

export const KEY_NAME_MAX = 200;
export const FORM_KEY_PERMISSIONS: readonly Permission[] = ['read', 'write', 'submit'];
export const KEY_FORMS_MAX = 20;
