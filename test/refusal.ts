/** What a function refuses with; anything but an AppError, or no refusal at all, fails the test. */

import { AppError } from '../src/errors.ts';

export interface Rejection {
	code: string;
	message: string;
}

export function refusalOf(act: () => unknown): Rejection {
	try {
		act();
	} catch (error) {
		if (error instanceof AppError) return { code: error.code, message: error.message };
		throw error;
	}
	throw new Error('nothing was refused');
}

export async function refusalOfAsync(act: () => Promise<unknown>): Promise<Rejection> {
	const outcome = await act().then(
		() => null,
		(error: unknown) => error,
	);
	return refusalOf(() => {
		if (outcome !== null) throw outcome;
	});
}
