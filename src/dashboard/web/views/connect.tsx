/** How to connect a website: the form's address, snippets to copy, and a test submission. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { formatSize } from '../../../byte-sizes.ts';
import type { FileRules } from '../../../file-rules.ts';
import { plural } from '../../../plural.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { CodeBlock, CodeLine, CopyButton } from '../components/code.tsx';
import { Segments, Switch } from '../components/inputs.tsx';
import { Notice } from '../components/messages.tsx';
import { FormView } from '../components/page.tsx';
import { Term } from '../components/term.tsx';
import { messageOf } from '../field-errors.ts';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import { sampleValues } from '../snippet-inputs.ts';
import { snippetsFor } from '../snippets.ts';
import { session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { useAction } from '../use-action.ts';

const REASONS: Record<string, string> = {
	DOMAIN_NOT_ALLOWED:
		'The form works: it rejected this one because the dashboard is not among its allowed domains. Send one from your website instead.',
	CAPTCHA_REQUIRED:
		'The form works: it rejected this one because only a page with the captcha can pass it. Send one from your website instead.',
	VALIDATION_ERROR:
		'The form works: it rejected this one because it does not keep to the field rules. Send one from your website instead.',
	FORM_DISABLED: 'The form is paused. Activate it in its settings, then try again.',
};

const TEST = {
	name: 'Test from the dashboard',
	email: 'test@example.com',
	message: 'If you can read this, the form works.',
};

function TestButton({ form }: { form: Form }) {
	const { run, isBusy, error } = useAction(async () => {
		await api.submitTo(form.slug, form.fields ? sampleValues(form) : TEST);
		showToast('The test submission has arrived.', {
			actions: [{ label: 'Show', run: () => navigate(to.inbox(form.id)) }],
		});
	});
	return (
		<div class="stack">
			<div>
				<Button label={isBusy ? 'Sending…' : 'Send a test submission'} onClick={run} disabled={isBusy} />
			</div>
			{error !== undefined && (
				<Notice tone="warning" role="alert">
					{(error instanceof api.ApiError && REASONS[error.code]) || messageOf(error)}
				</Notice>
			)}
		</div>
	);
}

function fileHint({ maxFiles, maxBytes, types }: FileRules): string {
	const kinds = types.length > 0 ? `: ${types.join(', ')}` : ' of any type';
	return `This form takes ${plural(maxFiles, 'file')} of up to ${formatSize(maxBytes)}${maxFiles > 1 ? ' each' : ''}${kinds}.`;
}

function Snippets({ form, address }: { form: Form; address: string }) {
	const [id, setId] = useState('html');
	const [withFiles, setWithFiles] = useState(false);
	const { captcha, fields, spam } = form;
	const [honeypot] = spam.honeypot;
	const hasInput = fields?.some(({ type }) => type === 'file') ?? false;
	const files = withFiles || hasInput ? form.files : null;
	const snippets = snippetsFor({
		address,
		submitUrl: session.value?.submitUrl ?? '',
		captcha,
		honeypot,
		asksStatus: form.opensAt !== null || form.closesAt !== null || form.maxSubmissions !== null,
		tellsPage: form.context?.page || form.context?.utm,
		fields,
		files,
	});
	const chosen = snippets.find((snippet) => snippet.id === id) ?? snippets[0];
	if (chosen === undefined) return null;
	return (
		<section class="card snippets" aria-label="Snippets">
			<Segments
				legend="Kind of website"
				class="scroll"
				options={snippets.map((snippet) => ({ value: snippet.id, label: snippet.title }))}
				value={chosen.id}
				onChange={setId}
			/>
			{form.files && !hasInput && (
				<Switch label="With a file input" hint={fileHint(form.files)} isOn={withFiles} onChange={setWithFiles} />
			)}
			<div class="snippet-head">
				<p class="muted small">{chosen.hint}</p>
				<CopyButton text={chosen.code} what="the snippet" isLabelled />
			</div>
			<CodeBlock text={chosen.code} name={`${chosen.title} snippet`} />
			{form.captcha && chosen.code.includes('YOUR_') && (
				<p class="hint">Replace what begins with YOUR_ with the values from your captcha provider.</p>
			)}
		</section>
	);
}

const specialFields = ({ spam }: Form): [name: string, meaning: ComponentChildren][] => [
	['_next', 'Where the visitor is sent, instead of the form’s redirect address.'],
	['_subject', 'The subject of the notification mail.'],
	[
		'_replyto',
		<>
			Where replies to the notification go. Default: the field <code>email</code>.
		</>,
	],
	...spam.honeypot.map((name): [string, string] => [
		name,
		'A honeypot: keep it hidden. Submissions with a value in it go to spam.',
	]),
];

function Connect({ form }: { form: Form }) {
	const address = `${session.value?.submitUrl}/f/${form.slug}`;
	return (
		<>
			<section class="stack">
				<h2>The form’s address</h2>
				<p class="muted">Any website may post to it. Fields may have any name; each becomes a column.</p>
				<CodeLine text={address} what="the address" />
			</section>
			<section class="stack">
				<h2>Put it on a website</h2>
				<Snippets form={form} address={address} />
			</section>
			<section class="stack">
				<h2>See it work</h2>
				<p class="muted">Sends one submission through the public address, exactly as a visitor would.</p>
				<TestButton form={form} />
			</section>
			<section class="stack">
				<h2>Special fields</h2>
				<dl class="terms">
					{specialFields(form).map(([name, meaning]) => (
						<Term key={name} name={<code>{name}</code>}>
							{meaning}
						</Term>
					))}
				</dl>
			</section>
		</>
	);
}

export function ConnectPage({ form: id }: { form: string }) {
	return (
		<FormView form={id} title="Connect">
			{(form) => <Connect form={form} />}
		</FormView>
	);
}
