/** Pure: text from a remote server as one line of bounded length. */

export function oneLine(text: string, max: number): string {
	return text
		.replace(/[\p{C}\s]+/gu, ' ')
		.trim()
		.slice(0, max);
}
