/** The AppError with which a call rejects; any other error, or none, fails the test. */

import { AppError } from '../src/errors.ts';

export interface Rejection {
	code: string;
	message: string;
}

export function rejectionOf(act: () => unknown): Rejection {
	try {
		act();
	} catch (error) {
		if (error instanceof AppError) return { code: error.code, message: error.message };
		throw error;
	}
	throw new Error('nothing was rejected');
}

export async function rejectionOfAsync(act: () => Promise<unknown>): Promise<Rejection> {
	const outcome = await act().then(
		() => null,
		(error: unknown) => error,
	);
	return rejectionOf(() => {
		if (outcome !== null) throw outcome;
	});
}
