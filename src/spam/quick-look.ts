/** Whether a submission is worth a closer look: what every submission pays for. */

/** What any rule of the text may have something to say about. */
const SIGNS = /[!$£€¥₹\u0250-\uffff]|:\/\/|www\.|\d[\d ()-]{7}|[A-Z]{5}/;
/** A longer message is worth it anyway. */
const LONG = 300;

/** @param data The JSON text of the fields. */
export function mayHaveSigns(data: string): boolean {
	return data.length > LONG || SIGNS.test(data);
}
