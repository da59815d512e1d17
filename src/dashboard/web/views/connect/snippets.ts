/** Copy-paste code that connects a website to a form. */

import { type Captcha, captchaMarkup, captchaScript } from '../../../../form-values/captchas.ts';
import * as words from '../../sentences/more-words.ts';
import { attribute, type Fields, hasFiles, inputJsx, inputMarkup, rulesOf, sampleValues } from './snippet-inputs.ts';

interface SnippetForm extends Fields {
	/** The form's full public address. */
	address: string;
	/** Where `/formsrv.js` is served from. */
	submitUrl: string;
	captcha: Captcha | null;
	/** True if `formsrv.js` asks first whether the form accepts submissions. */
	asksStatus?: boolean;
	/** True if `formsrv.js` sends the address of the page. */
	tellsPage?: boolean;
	/** The name of the hidden field for robots; without it there is none. */
	honeypot?: string | undefined;
	/** A domain whose pages may post, if not all may. */
	domain?: string | undefined;
}

export interface Snippet {
	id: string;
	title: string;
	/** One sentence on when to use it and where to put it. */
	hint: string;
	code: string;
}

const honeypot = (name: string) => [
	`<!-- ${words.snippets.honeypot} -->`,
	'<div hidden>',
	`  <input name="${attribute(name)}" aria-label="${words.snippets.leaveEmpty}" tabindex="-1" autocomplete="off">`,
	'</div>',
];

function indent(lines: string[], by: string): string {
	return lines.map((line) => by + line).join('\n');
}

/** The controls that visitors fill in, with the defences. @param captchaAttributes More of them for its element. */
function controlMarkup(form: SnippetForm, captchaAttributes = ''): string[] {
	const captcha = form.captcha && captchaMarkup(form.captcha, form.address);
	return [
		...inputMarkup(form),
		...(form.honeypot === undefined ? [] : honeypot(form.honeypot)),
		...(captcha ? [captcha.replace(/^<[\w-]+/, `$&${captchaAttributes}`)] : []),
	];
}

/** Sends a form. @param form What stands for it in the script. */
const requestLines = (address: string, form: string) =>
	`const response = await fetch('${address}', {
  method: 'POST',
  headers: { Accept: 'application/json' },
  body: new FormData(${form}),
});
const result = await response.json();`.split('\n');

function formMarkup(form: SnippetForm, attributes = ''): string {
	const lines = [...controlMarkup(form), `<button type="submit">${words.snippets.send}</button>`];
	const script = form.captcha
		? `\n<script src="${captchaScript(form.captcha, form.submitUrl)}" async defer></script>`
		: '';
	// Without it browsers send the names of files, and not the files.
	const encoding = hasFiles(form) ? ' enctype="multipart/form-data"' : '';
	// Without it a page that declares no encoding, or another, sends letters that are not understood.
	const charset = ' accept-charset="utf-8"';
	return `<form action="${form.address}" method="POST"${charset}${encoding}${attributes}>\n${indent(lines, '  ')}\n</form>${script}`;
}

function scriptAttributes({ asksStatus, tellsPage }: SnippetForm): string {
	return `${asksStatus ? ' data-formsrv-status' : ''}${tellsPage ? ' data-formsrv-page' : ''}`;
}

function fetchCode(form: SnippetForm): string {
	return `${formMarkup(form, ' id="contact"')}
<script>
const form = document.querySelector('#contact');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button[type=submit]');
  button.disabled = true;
  try {
${indent(requestLines(form.address, 'form'), '    ')}
    if (response.ok) form.replaceChildren('${words.snippets.sent}');
    else alert(result.message);
  } catch {
    alert('${words.snippets.noConnection}');
  }
  button.disabled = false;
});
</script>`;
}

function reactHoneypot(name: string | undefined): string {
	if (name === undefined) return '';
	return `\n      <div hidden><input name="${attribute(name)}" tabIndex={-1} autoComplete="off" /></div>`;
}

function reactCode(form: SnippetForm): string {
	return `import { ${form.captcha ? 'useEffect, ' : ''}useState } from 'react';

export function ContactForm() {
  const [state, setState] = useState({ status: 'idle' });
${reactScript(form)}
  async function submit(event) {
    event.preventDefault();
    setState({ status: 'sending' });
    try {
${indent(requestLines(form.address, 'event.currentTarget'), '      ')}
      setState(response.ok ? { status: 'sent' } : { status: 'failed', error: result.message });
    } catch {
      setState({ status: 'failed', error: '${words.snippets.noConnection}' });
    }
  }

  if (state.status === 'sent') return <p role="status">${words.snippets.sent}</p>;
  return (
    <form onSubmit={submit}>
${indent(inputJsx(form), '      ')}${reactHoneypot(form.honeypot)}${reactCaptcha(form)}
      <button disabled={state.status === 'sending'}>${words.snippets.send}</button>
      {state.status === 'failed' && <p role="alert">{state.error}</p>}
    </form>
  );
}`;
}

function reactCaptcha(form: SnippetForm): string {
	if (form.captcha === null) return '';
	return `\n      ${captchaMarkup(form.captcha, form.address).replace('class=', 'className=')}`;
}

function reactScript(form: SnippetForm): string {
	return form.captcha ? `\n  useEffect(() => {\n${captchaLoader(form, '    ')}\n  }, []);\n` : '';
}

/** Loads the captcha's script once the widget stands in the page. */
function captchaLoader({ captcha, submitUrl }: SnippetForm, by: string): string {
	const lines = [
		`const src = '${captcha && captchaScript(captcha, submitUrl)}';`,
		`if (document.querySelector(\`script[src="\${src}"]\`)) return;`,
		`document.head.append(Object.assign(document.createElement('script'), { src }));`,
	];
	return indent(lines, by);
}

function vueCode(form: SnippetForm): string {
	const lines = [
		// Vue would take the element of a captcha for a component.
		...controlMarkup(form, ' v-pre'),
		`<button :disabled="state === 'sending'">${words.snippets.send}</button>`,
		`<p v-if="error" role="alert">{{ error }}</p>`,
	];
	return `<script setup>
import { ${form.captcha ? 'onMounted, ' : ''}ref } from 'vue';

const state = ref('idle');
const error = ref('');
${form.captcha ? `\nonMounted(() => {\n${captchaLoader(form, '  ')}\n});\n` : ''}
async function submit(event) {
  state.value = 'sending';
  error.value = '';
  try {
${indent(requestLines(form.address, 'event.target'), '    ')}
    state.value = response.ok ? 'sent' : 'failed';
    if (!response.ok) error.value = result.message;
  } catch {
    state.value = 'failed';
    error.value = '${words.snippets.noConnection}';
  }
}
</script>

<template>
  <p v-if="state === 'sent'" role="status">${words.snippets.sent}</p>
  <form v-else @submit.prevent="submit">
${indent(lines, '    ')}
  </form>
</template>`;
}

/** A credential that lets a command pass although it comes from no page. */
function curlCredential({ captcha, domain }: SnippetForm): string {
	if (captcha) return `-H "Authorization: Bearer $KEY" \\\n  `;
	return domain === undefined ? '' : `-H 'Origin: https://${domain}' \\\n  `;
}

function curlCode(form: SnippetForm): string {
	const values = sampleValues(form).flatMap(([{ name, required }, value = required ? 'FILL_IN' : undefined]) =>
		value === undefined ? [] : [[name, value] as const],
	);
	const note = form.captcha ? `# ${words.snippets.noCaptcha}\n` : '';
	const command = `${note}curl ${quoted(form.address)} \\\n  ${curlCredential(form)}-H 'Accept: application/json' \\\n  `;
	if (hasFiles(form)) {
		const texts = values.map(([name, value]) => `--form-string ${quoted(`${name}=${value}`)}`);
		const files = rulesOf(form).filter(({ type }) => type === 'file');
		const sent = files.map(({ name }) => `-F ${quoted(`${name}=@${fileName(form.files?.types[0])}`)}`);
		return command + [texts.join(' '), ...sent].filter((line) => line !== '').join(' \\\n  ');
	}
	return `${command}-H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(Object.fromEntries(values)))}`;
}

function fileName(type = 'image/*'): string {
	const ending = /^image\/(?:\*|jpeg)$/.test(type) ? 'jpg' : type.replace(/^\.|.*[/]/, '').replace('plain', 'txt');
	return `${ending === 'jpg' ? 'photo' : 'file'}.${ending}`;
}

/** For a shell. */
function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

const KINDS: Record<string, Omit<Snippet, 'id' | 'code'> & { code: (form: SnippetForm) => string }> = {
	html: {
		title: words.snippets.html,
		hint: words.snippets.htmlHint,
		code: (form) => formMarkup(form),
	},
	enhanced: {
		title: words.snippets.enhanced,
		hint: words.snippets.enhancedHint,
		code: (form) =>
			`${formMarkup(form, scriptAttributes(form))}\n<script src="${form.submitUrl}/formsrv.js" defer></script>`,
	},
	fetch: {
		title: words.snippets.fetch,
		hint: words.snippets.fetchHint,
		code: fetchCode,
	},
	react: { title: words.snippets.react, hint: words.snippets.reactHint, code: reactCode },
	vue: { title: words.snippets.vue, hint: words.snippets.vueHint, code: vueCode },
	astro: {
		title: words.snippets.astro,
		hint: words.snippets.astroHint,
		code: (form) => `---\n// src/components/Contact.astro\n---\n${formMarkup(form)}`,
	},
	hugo: {
		title: words.snippets.hugo,
		hint: words.snippets.hugoHint,
		code: (form) =>
			`{{/* layouts/partials/contact.html, ${words.snippets.usedAs} {{ partial "contact.html" . }} */}}\n${formMarkup(form)}`,
	},
	eleventy: {
		title: words.snippets.eleventy,
		hint: words.snippets.eleventyHint,
		code: (form) =>
			`{# _includes/contact.njk, ${words.snippets.usedAs} {% include "contact.njk" %} #}\n${formMarkup(form)}`,
	},
	curl: { title: words.snippets.curl, hint: words.snippets.curlHint, code: curlCode },
};

export const SNIPPET_KINDS = Object.keys(KINDS);

/** All snippets of a form, the simplest first. */
export function snippetsFor(form: SnippetForm): Snippet[] {
	return Object.entries(KINDS).map(([id, { code, ...kind }]) => ({ id, ...kind, code: code(form) }));
}
