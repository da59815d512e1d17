/** The text format of Prometheus, version 0.0.4. */

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface Sample {
	/** The part of a histogram: `_bucket`, `_sum` or `_count`. */
	suffix?: string;
	labels?: Readonly<Record<string, string>>;
	value: number;
}

/** One metric: all samples of a name. */
export interface Family {
	name: string;
	/** A sentence. */
	help: string;
	type: 'counter' | 'gauge' | 'histogram';
	samples: readonly Sample[];
}

/** @returns The families with their samples, one a line. One without samples is named all the same. */
export function toText(families: readonly Family[]): string {
	const lines = families.flatMap(({ name, help, type, samples }) => [
		`# HELP ${name} ${help}`,
		`# TYPE ${name} ${type}`,
		...samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${value}`),
	]);
	return `${lines.join('\n')}\n`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
	const entries = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
	return entries.length === 0 ? '' : `{${entries.join(',')}}`;
}

function escaped(value: string): string {
	return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
