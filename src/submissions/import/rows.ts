/** The rows of a file, as its readers yield them: each read, or with what is wrong with it. */

/** The share of bad rows, in percent, beyond which a file is the wrong one, or wrongly mapped. */
export const MAX_BAD_PERCENT = 5;
/** The most of them that are named. */
export const PROBLEMS_SHOWN = 100;

/** A field of a row: its name, and the JSON text of its value. */
export interface ImportedField {
	name: string;
	json: string;
}

/** The JSON text of an object with these members. */
export const toJson = (fields: readonly ImportedField[]) =>
	`{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()}}`;

/** The members of a row by the number of its line, which begins with 1. */
export type ReadRow = { line: number } & ({ fields: ImportedField[] } | { problem: string });

/** Parses the text of a JSON object into its members, within the limits of submissions. @throws AppError with a sentence */
export type ReadFields = (text: string, isWhole?: boolean) => ImportedField[];

export interface ReadOptions {
	readFields: ReadFields;
	/** Longer rows are left out, without being held. */
	maxBytes: number;
}
