/** What a webhook can be told of, and how long its address may be. */

export const URL_MAX = 2048;
export const EVENTS = ['submission.created'] as const;
