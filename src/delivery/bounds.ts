/** Bounds of requests for deliveries, and states and reasons that commands share with the API. */

export const RETRY_IDS_MAX = 1000;
/** Counting stops here: more would block other requests. */
export const TOTAL_MAX = 10_000;
export const RETRY_STATES = ['failed', 'waiting', 'withheld', 'held'] as const;
/** Why a delivery is held. */
export const RESTORED = 'restored: it waited when the backup was made, and may have been sent since';
