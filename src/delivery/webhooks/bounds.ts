/** The events of webhooks, and the maximum length of a URL. */

export const URL_MAX = 2048;
export const EVENTS = ['submission.created'] as const;
