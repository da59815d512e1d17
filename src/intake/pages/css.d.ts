/** A style sheet imported `with { type: 'text' }` is its text. */
declare module '*.css' {
	const text: string;
	export default text;
}
