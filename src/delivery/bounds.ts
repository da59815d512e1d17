/** How much of the outbox can be asked for at once, and what can be sent again. */

export const LIMIT_DEFAULT = 50;
export const LIMIT_MAX = 100;
export const RETRY_IDS_MAX = 1000;
/** Counting more would hold up everybody, and tells nobody more. */
export const TOTAL_MAX = 10_000;
/** Forms above their ceiling that a list tells of. */
export const DIGESTS_MAX = 20;
/** What can be tried again by the lot. */
export const RETRY_STATES = ['failed', 'waiting', 'withheld'] as const;
/** Somebody tries settings out; a program would write to strangers. */
export const MAIL_TESTS_PER_MINUTE = 5;
/** Bytes of what was sent that are kept of a mail: the submission that it is about is kept whole anyway. */
export const KEPT_MAX_BYTES = 20_000;
/** Bytes of a submission's text that are shown of what is posted. */
export const SHOWN_MAX_BYTES = 100_000;
