/** Processor time of the search index, which is built after the commits. */

import { ROOT } from './product.ts';
import { type Finding, short } from './report.ts';
import { median } from './rounds.ts';

const ROWS = 100_000;
const RUNS = 3;

interface Cost {
	storeMicros: number;
	indexMicros: number;
}

export async function measureIndex(): Promise<Finding[]> {
	const costs: Cost[] = [];
	for (let i = 0; i < RUNS; i++) costs.push(await Bun.$`bun ${ROOT}/bench/index-load.ts ${ROWS}`.json());
	const store = median(costs.map(({ storeMicros }) => storeMicros));
	const index = median(costs.map(({ indexMicros }) => indexMicros));
	return [
		{
			what: 'Processor time to index a submission ÷ to store it, without HTTP',
			...{ better: 'lower', must: 10, aim: 7, measured: index / store },
			detail: `${short(index)} µs ÷ ${short(store)} µs; ${ROWS} submissions of some 25 words`,
		},
	];
}
