/** Pure: numbers as they are written, by their digits. */

const NUMBER = /^-?(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?$/;

/** The digits without zeros at their ends, none for zero, and the exponent of the last one: the same for all ways to write a number. */
export interface Decimal {
	digits: string;
	exponent: number;
}

export function decimalOf(number: string): Decimal {
	const [, whole = '', fraction = '', exponent = 0] = NUMBER.exec(number) ?? [];
	const all = whole + fraction;
	let [start, end] = [0, all.length];
	// An expression for zeros at the end takes the square of the time.
	while (start < end && all[start] === '0') start++;
	while (end > start && all[end - 1] === '0') end--;
	return { digits: all.slice(start, end), exponent: Number(exponent) - fraction.length + all.length - end };
}
