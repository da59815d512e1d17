/** How much of the quota a file takes: a file system gives each at least a block, and an inode. */

const LEAST_BYTES = 4096;

export const roomOf = (bytes: number): number => Math.max(bytes, LEAST_BYTES);

/** The room of the kept files of a condition, in SQL; `null` if there are none. @param greatest What the engine calls it */
export const roomInSql = (greatest: 'max' | 'greatest'): string => `sum(${greatest}(bytes, ${LEAST_BYTES}))`;
