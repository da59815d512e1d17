/** How to connect a website: the form's address, snippets to copy, and a test submission. */

import { useState } from 'preact/hooks';
import { useTitle } from '../announce.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { CodeBlock } from '../components/code-block.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { FormHead } from '../components/form-head.tsx';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import { snippetsFor } from '../snippets.ts';
import { formOf, forms } from '../state/forms.ts';
import { session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { NotFound } from './not-found.tsx';

const REASONS: Record<string, string> = {
	DOMAIN_NOT_ALLOWED:
		'The form works: it rejected this one because the dashboard is not among its allowed domains. Send one from your website instead.',
	CAPTCHA_REQUIRED:
		'The form works: it rejected this one because only a page with the captcha can pass it. Send one from your website instead.',
	FORM_DISABLED: 'The form is paused. Activate it in its settings, then try again.',
};

function TestButton({ form }: { form: Form }) {
	const [isBusy, setBusy] = useState(false);
	const [reason, setReason] = useState('');
	const send = async () => {
		setBusy(true);
		setReason('');
		try {
			await api.submitTo(form.slug, {
				name: 'Test from the dashboard',
				email: 'test@example.com',
				message: 'If you can read this, the form works.',
			});
			showToast('The test submission has arrived.', {
				actions: [{ label: 'Show', run: () => navigate(to.inbox(form.id)) }],
			});
		} catch (error) {
			const code = error instanceof api.ApiError ? error.code : '';
			setReason(REASONS[code] ?? (error instanceof Error ? error.message : 'The test submission failed.'));
		}
		setBusy(false);
	};
	return (
		<div class="stack">
			<div>
				<button type="button" class="button" onClick={send} disabled={isBusy}>
					{isBusy ? 'Sending…' : 'Send a test submission'}
				</button>
			</div>
			{reason && (
				<p class="notice warning" role="alert">
					{reason}
				</p>
			)}
		</div>
	);
}

function Snippets({ form, address }: { form: Form; address: string }) {
	const snippets = snippetsFor({ address, submitUrl: session.value?.submitUrl ?? '', captcha: form.captcha });
	const [id, setId] = useState('html');
	const chosen = snippets.find((snippet) => snippet.id === id) ?? snippets[0];
	if (chosen === undefined) return null;
	return (
		<section class="card snippets" aria-label="Snippets">
			<fieldset class="segments scroll">
				<legend class="visually-hidden">Kind of website</legend>
				{snippets.map((snippet) => (
					<label key={snippet.id} class="segment">
						<input type="radio" name="snippet" checked={snippet.id === id} onChange={() => setId(snippet.id)} />
						<span>{snippet.title}</span>
					</label>
				))}
			</fieldset>
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

export function ConnectPage({ form: id }: { form: string }) {
	const form = formOf(id);
	useTitle(`Connect ${form?.name ?? ''}`);
	if (form === undefined) return forms.value === undefined ? null : <NotFound />;
	const address = `${session.value?.submitUrl}/f/${form.slug}`;
	return (
		<div class="form-view">
			<FormHead form={id} />
			<div class="column stack-large">
				<section class="stack">
					<h2>The form’s address</h2>
					<p class="muted">Any website may post to it. Fields may have any name; each becomes a column.</p>
					<div class="code-line">
						<code>{address}</code>
						<CopyButton text={address} what="the address" />
					</div>
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
						<div>
							<dt>
								<code>_next</code>
							</dt>
							<dd>Where the visitor is sent, instead of the form’s redirect address.</dd>
						</div>
						<div>
							<dt>
								<code>_subject</code>
							</dt>
							<dd>The subject of the notification mail.</dd>
						</div>
						<div>
							<dt>
								<code>_replyto</code>
							</dt>
							<dd>
								Where replies to the notification go. Default: the field <code>email</code>.
							</dd>
						</div>
						<div>
							<dt>
								<code>_gotcha</code>
							</dt>
							<dd>The honeypot: keep it hidden. Submissions with a value in it go to spam.</dd>
						</div>
					</dl>
				</section>
			</div>
		</div>
	);
}
