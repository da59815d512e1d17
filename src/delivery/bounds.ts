/** Bounds of requests for deliveries, and the states that can be retried in bulk. */

export const RETRY_IDS_MAX = 1000;
/** Counting stops here: more would block other requests. */
export const TOTAL_MAX = 10_000;
/** Open digests in a list. */
export const DIGESTS_MAX = 20;
/** States that can be retried in bulk. */
export const RETRY_STATES = ['failed', 'waiting', 'withheld', 'held'] as const;
/** Why a delivery is held. */
export const RESTORED = 'restored: it waited when the backup was made, and may have been sent since';
/** Enough for an operator who tries settings; too few to send spam. */
export const MAIL_TESTS_PER_MINUTE = 5;
/** Bytes of a sent mail that are stored: its submission is stored whole anyway. */
export const KEPT_MAX_BYTES = 20_000;
/** Bytes of the submission that are shown of a webhook request. */
export const SHOWN_MAX_BYTES = 100_000;
