/** Reads TOML for people who wrote it by hand. */

/** @throws SyntaxError that names the line, and quotes nothing of the text, which may hold secrets */
export function parseToml(text: string): Record<string, unknown> {
	const problem = problemOf(text);
	if (problem === undefined) return Bun.TOML.parse(text) as Record<string, unknown>;
	const lines = text.split(/(?<=\n)/);
	let first = 1;
	let last = lines.length;
	// The parser knows no lines: the one at fault is the first with which the beginning of the text has the same problem.
	while (first < last) {
		const middle = Math.floor((first + last) / 2);
		if (problemOf(lines.slice(0, middle).join('')) === problem) last = middle;
		else first = middle + 1;
	}
	throw new SyntaxError(`line ${first}: ${problem.replace(/^TOML Parse error: /, '').replace(/: ["'].*/s, '')}`);
}

function problemOf(text: string): string | undefined {
	try {
		Bun.TOML.parse(text);
		return undefined;
	} catch (error) {
		return (error as Error).message;
	}
}
