/** Pure: the reason in the message of a failed system call. */

/** `EACCES: permission denied, open '/srv/data'` → `permission denied`; other messages stay as they are. */
export const systemReason = ({ message }: Error) => message.replace(/^E[A-Z0-9]+: (.+?), \w+(?: '.*)?$/s, '$1');
