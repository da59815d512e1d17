/** The problems of invalid settings. */

import { ConfigError } from '../src/config.ts';

/** The problems that reading settings throws; empty if it throws none. */
export function problemsIn(readSettings: () => unknown): string[] {
	try {
		readSettings();
	} catch (error) {
		if (error instanceof ConfigError) return error.problems;
		throw error;
	}
	return [];
}
