/** Sentences of the snippets: their names, when to use which, and the words in them, which visitors of that website read. */

export const html = 'HTML';
export const htmlHint = 'Works everywhere, without any script. Paste it into your page.';
export const enhanced = 'HTML + script';
export const enhancedHint =
	'The same form; a small script sends it in place, shows errors beside the fields and guards against double clicks.';
export const fetch = 'fetch';
export const fetchHint = 'A form with a script of your own, which says what happens next.';
export const react = 'React';
export const reactHint = 'A component without dependencies.';
export const vue = 'Vue';
export const vueHint = 'A single-file component without dependencies.';
export const astro = 'Astro';
export const astroHint = 'A component file; no adapter and no server code needed.';
export const hugo = 'Hugo';
export const hugoHint = 'A partial for your layouts.';
export const eleventy = 'Eleventy';
export const eleventyHint = 'A Nunjucks include.';
export const curl = 'curl';
export const curlHint = 'Send one from a terminal, to see it arrive.';

export const yourName = 'Your name';
export const yourMail = 'Your e-mail';
export const message = 'Message';
export const files = 'Files';
export const send = 'Send';
export const sent = 'Thank you, your message has been sent.';
export const noConnection = 'No connection. Please try again.';
export const honeypot = 'Bots fill this in; people never see it.';
export const leaveEmpty = 'Leave this empty';
export const noCaptcha = 'A program passes no captcha: $KEY is a key with the permission submit.';
export const usedAs = 'used as';
