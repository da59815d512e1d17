/** Pure: the header that has a response saved under a name (RFC 6266, RFC 8187). */

/** Characters that neither a quoted text nor a careless client keeps as they are. */
const UNFIT = /[^ !#$&'()+,\-.0-9;=@A-Z[\]^_`a-z{}~]/gu;
/** Left alone by `encodeURIComponent`, but no part of the grammar. */
const BEYOND_GRAMMAR = /['()*]/g;

/** For old clients an ASCII name as well; a plain name comes alone. */
export function attachment(name: string): string {
	const wellFormed = name.toWellFormed();
	const plain = wellFormed.replace(UNFIT, '_');
	const header = `attachment; filename="${plain}"`;
	if (plain === wellFormed) return header;
	const encoded = encodeURIComponent(wellFormed).replace(
		BEYOND_GRAMMAR,
		(character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
	);
	return `${header}; filename*=UTF-8''${encoded}`;
}
