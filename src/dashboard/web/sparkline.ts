/** SVG path data of a small chart. */

export interface SparklineSize {
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
