/** Thirty days of submissions as a line the size of a word. */

import { sparklineArea, sparklinePath } from '../sparkline.ts';

const SIZE = { width: 120, height: 28 };
const MARGIN = 2;

export function Sparkline({ counts, label }: { counts: number[]; label: string }) {
	const isFlat = counts.every((count) => count === 0);
	const box = `${-MARGIN} ${-MARGIN} ${SIZE.width + 2 * MARGIN} ${SIZE.height + 2 * MARGIN}`;
	return (
		<svg class={isFlat ? 'sparkline flat' : 'sparkline'} viewBox={box} role="img" aria-label={label}>
			<path class="area" d={sparklineArea(counts, SIZE)} />
			<path class="line" d={sparklinePath(counts, SIZE)} />
		</svg>
	);
}
