/** Decides whether a submission is worth a closer look; every submission pays for this. */

/** Characters on which any rule of the text may have something to say. */
const SIGNS = /[!$£€¥₹\u0250-\uffff]|:\/\/|www\.|\d[\d ()-]{7}|[A-Z]{5}/;
/** Beginnings of words of which every offer to websites has two, in any of its languages. */
const OFFERS =
	/\b(?:web|seo|site|sitio|p[aá]gina|google|guest|gast|backl|dofoll|link|lien|leads?\b|agen[ct]|market|sponsor|patroc|instag|youtube|rank|traffic|offer|r[eé]f[eé]renc|posicion|contact form|email list|adress|kunden|client|video|vidéo|blog|app|softw|art[ií]c|audience|business|unternehm|entrepris|empresa)/gi;
/** Least length of an offer. */
const SHORTEST_OFFER = 100;
/** A longer message is worth it anyway. */
const LONG = 300;

/** @param data The JSON text of the fields. */
export function mayHaveSigns(data: string): boolean {
	if (data.length > LONG || SIGNS.test(data)) return true;
	return data.length > SHORTEST_OFFER && (data.match(OFFERS)?.length ?? 0) > 1;
}
