/** Whether the server answers, and who is told when it no longer knows us. */

import { signal } from '@preact/signals';

export const isReachable = signal(true);

/** Raised by every answer 401; the sign-in view explains it. */
export const isSignedOut = signal(false);
