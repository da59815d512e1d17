/** Prints the figures and their targets, in Markdown. */

export interface Target {
	what: string;
	/** A release must reach `must`; `aim` is the goal. `better` names the direction. */
	must: number;
	aim: number;
	better: 'higher' | 'lower';
	unit?: string;
}

export interface Finding extends Target {
	measured: number;
	/** The figures behind the ratio. */
	detail: string;
}

export function verdict({ measured, must, aim, better }: Finding): 'aim' | 'must' | 'MISSED' {
	const reaches = (bound: number) => (better === 'higher' ? measured >= bound : measured <= bound);
	if (reaches(aim)) return 'aim';
	return reaches(must) ? 'must' : 'MISSED';
}

export function tableHead(): string {
	return '| What | Measured | Must | Aim | Reached | Figures |\n|---|---|---|---|---|---|';
}

export function tableRow(finding: Finding): string {
	const { what, measured, must, aim, better, unit = '', detail } = finding;
	const sign = better === 'higher' ? '≥' : '≤';
	const cells = [what, `**${short(measured)}${unit}**`, `${sign} ${must}`, `${sign} ${aim}`, verdict(finding), detail];
	return `| ${cells.join(' | ')} |`;
}

export function short(value: number): string {
	if (value >= 1000) return Math.round(value).toLocaleString('en-GB');
	return String(Number(value.toPrecision(3)));
}
