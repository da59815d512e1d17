/** Bounds and words of the audit log that need no schema. */

/** Counting stops here: more would block other requests. */
export const TOTAL_MAX = 10_000;

export const ACTOR_KINDS = ['key', 'session', 'user', 'link', 'server', 'unknown', 'others'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];
