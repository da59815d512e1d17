/** Processes that run until all tests of this process are over, because several files share them. */

export const shared = new Set<number>();

export function shareAmongFiles(pid: number): void {
	shared.add(pid);
}
