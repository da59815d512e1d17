/** Pure: a text as one segment of the path of an address. */

import { AppError } from '../errors.ts';

/** @throws AppError NOT_FOUND for `.` and `..`, which lead to another address, however they are escaped: nothing is called so */
export function pathSegment(text: string): string {
	if (text === '.' || text === '..') throw new AppError('NOT_FOUND', `There is nothing with the id "${text}".`);
	return encodeURIComponent(text);
}
