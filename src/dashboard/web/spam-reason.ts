/** A sentence for each reason of spam. */

const SENTENCES: Record<string, (detail: string) => string> = {
	honeypot: () => 'The hidden honeypot field was filled in, as only bots do.',
	flood: () => 'More came to this form in that minute, from everywhere, than its limit allows.',
	'captcha-unavailable': (detail) => `The captcha could not be checked (${detail}), so it was stored as spam.`,
	'captcha-score': (detail) => `The captcha took the sender for a bot: ${detail} on a scale up to 1.`,
};

/** A reason is a word, or a word with a detail: `captcha-score: 0.2`. Without one an owner marked it. */
export function spamReasonText(reason: string | undefined): string {
	if (reason === undefined) return 'It was marked by hand.';
	const [word = '', ...details] = reason.split(': ');
	return Object.hasOwn(SENTENCES, word) ? (SENTENCES[word]?.(details.join(': ')) ?? reason) : reason;
}
