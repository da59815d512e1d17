/** Parses the `; name=value` parameters of Content-Type and Content-Disposition. */

const PARAMETER = /[ \t]*;[ \t]*(?:([!#$%&'*+.^_`|~\w-]+)=(?:"([^"]*)"|([^\s;",]*)))?[ \t]*/y;

/**
 * Parses the rest of a header after its first word; names are lower-cased. A quoted value ends at the next `"`, as
 * browsers write it (https://html.spec.whatwg.org/#multipart-form-data): a backslash is not an escape. `undefined` for
 * invalid syntax or a repeated name, which other parsers might read differently.
 */
export function parseParameters(text: string): Map<string, string> | undefined {
	const parameters = new Map<string, string>();
	let at = 0;
	while (at < text.length) {
		PARAMETER.lastIndex = at;
		const match = PARAMETER.exec(text);
		if (!match) return undefined;
		const [, name, quoted, plain] = match;
		if (name !== undefined) {
			const key = name.toLowerCase();
			if (parameters.has(key)) return undefined;
			parameters.set(key, quoted ?? plain ?? '');
		}
		at += match[0].length;
	}
	return parameters;
}

/** Returns whether a charset parameter, or its absence, means UTF-8. */
export function isUtf8Charset(charset: string | undefined): boolean {
	return charset === undefined || /^utf-?8$/i.test(charset);
}
