/** Signing in with an API key or with a set-up link. */

import { useState } from 'preact/hooks';
import { useTitle } from '../announce.ts';
import { ApiError } from '../api.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Field } from '../components/field.tsx';
import { signIn, signInNotice } from '../state/session.ts';

/** Recognises a set-up link or its token; any other text is sent as a key. */
function proofOf(text: string): { key: string } | { token: string } {
	const link = /#\/setup\/([^/?#\s]+)$/.exec(text);
	if (link?.[1]) return { token: decodeURIComponent(link[1]) };
	return /^(sk_|fk_)/.test(text) ? { key: text } : { token: text };
}

function Help() {
	return (
		<details class="sign-in-help">
			<summary>Where do I get one?</summary>
			<div class="stack small">
				<p>On the machine that runs formsrv, this prints a link that signs you in once; opening it is enough:</p>
				<div class="code-line">
					<code>formsrv dashboard-link</code>
					<CopyButton text="formsrv dashboard-link" what="the command" />
				</div>
				<p>The first start of the server has printed such a link, too. For a key that keeps:</p>
				<div class="code-line">
					<code>formsrv keys create</code>
					<CopyButton text="formsrv keys create" what="the command" />
				</div>
			</div>
		</details>
	);
}

export function SignIn() {
	useTitle('Sign in');
	const [text, setText] = useState('');
	const [error, setError] = useState('');
	const [isBusy, setBusy] = useState(false);
	const submit = async (event: Event) => {
		event.preventDefault();
		if (text.trim() === '') return setError('Paste an API key or a set-up link.');
		setBusy(true);
		setError('');
		try {
			await signIn(proofOf(text.trim()));
		} catch (cause) {
			const isUnknown = cause instanceof ApiError && cause.status === 401;
			const reason = cause instanceof Error ? cause.message : 'Something went wrong.';
			setError(isUnknown ? 'This key or link is not known here, or it has expired or been used.' : reason);
			setBusy(false);
		}
	};
	return (
		<main class="sign-in">
			<div class="sign-in-card">
				<span class="brand-mark large" />
				<h1>Sign in to formsrv</h1>
				{signInNotice.value && (
					<p class="notice" role="status">
						{signInNotice.value}
					</p>
				)}
				<form class="stack" onSubmit={submit}>
					<Field
						label="API key or set-up link"
						type="password"
						value={text}
						onInput={setText}
						error={error}
						placeholder="sk_live_…"
						autoComplete="current-password"
						isMono
						autoFocus
					/>
					<button type="submit" class="button primary block" disabled={isBusy}>
						{isBusy ? 'Signing in…' : 'Sign in'}
					</button>
				</form>
				<Help />
			</div>
		</main>
	);
}
