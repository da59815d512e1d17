/** State of the connection: the server is reachable, and still accepts the session. */

import { signal } from '@preact/signals';

export const isReachable = signal(true);

/** Set by every 401; the sign-in view explains it. */
export const isSignedOut = signal(false);
