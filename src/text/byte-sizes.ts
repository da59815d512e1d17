/** Pure: sizes in bytes as people write them. */

const UNITS: Record<string, number> = {
	'': 1,
	b: 1,
	kb: 1000,
	mb: 1000 ** 2,
	gb: 1000 ** 3,
	kib: 1024,
	mib: 1024 ** 2,
	gib: 1024 ** 3,
};

/** Reads `500000`, `500kB` (thousands) or `1MiB` (powers of 1024); `undefined` for anything else. */
export function parseSize(text: string): number | undefined {
	const [, digits, unit] = /^(\d{1,15}(?:\.\d{1,3})?) ?([a-z]{0,3})$/i.exec(text) ?? [];
	const factor = UNITS[unit?.toLowerCase() ?? '-'];
	return digits === undefined || factor === undefined ? undefined : Math.floor(Number(digits) * factor);
}

const NAMES = ['GiB', 'GB', 'MiB', 'MB', 'KiB', 'kB', 'B'];

/** As short as is exact, for values of settings: `1MiB`, `500kB`, `1537B`. */
export function formatSize(bytes: number): string {
	for (const name of NAMES) {
		const factor = UNITS[name.toLowerCase()] as number;
		if (bytes >= factor && bytes % factor === 0) return `${bytes / factor}${name}`;
	}
	return `${bytes}B`;
}

/** For people, wherever they read a size: `812 B`, `47.1 KiB`, `5 GiB`. */
export function roughSize(bytes: number): string {
	const steps = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
	let value = bytes;
	let step = 0;
	for (; value >= 1024 && step < steps.length - 1; step++) value /= 1024;
	return `${Math.round(value * 10) / 10} ${steps[step]}`;
}
