/** Changes of a row that were held against it before they are made: two at once undo nothing of each other. */

/** The row was changed while a change of it was checked. Thrown where a `batch` is recorded, so that nothing is changed. */
export class ChangedMeanwhile extends Error {}

/** Repeats a change until what it was held against is still so when it is made. */
export async function untilUnchanged<T>(change: () => Promise<T>): Promise<T> {
	for (;;) {
		try {
			return await change();
		} catch (error) {
			if (!(error instanceof ChangedMeanwhile)) throw error;
		}
	}
}
