/** Goes through much work in chunks, with pauses in which submissions are stored. */

/** Waits between two chunks; resolves to whether to continue. */
export type Pause = () => Promise<boolean>;

/** @param chunk Resolves to whether there may be more. Returns `false` if the pause ended the work before that. */
export async function inChunks(chunk: () => Promise<boolean>, pause: Pause): Promise<boolean> {
	while (await chunk()) {
		if (!(await pause())) return false;
	}
	return true;
}
