/** Counts of days as a line the size of a word. */

interface SparklineSize {
	width: number;
	height: number;
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Path data of a line through the counts; the highest touches the top, zero lies on the base line. */
export function sparklinePath(counts: number[], { width, height }: SparklineSize): string {
	if (counts.length === 0) return '';
	const top = Math.max(1, ...counts);
	const step = counts.length === 1 ? width : width / (counts.length - 1);
	const points = counts.map((count, at) => `${round(at * step)} ${round(height - (count / top) * height)}`);
	return points.length === 1 ? `M0 ${points[0]?.split(' ')[1]}H${width}` : `M${points.join('L')}`;
}

/** The same line closed along the base, for a fill. */
export function sparklineArea(counts: number[], size: SparklineSize): string {
	const line = sparklinePath(counts, size);
	return line && `${line}L${size.width} ${size.height}L0 ${size.height}Z`;
}

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
