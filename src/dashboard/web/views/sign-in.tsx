/** Signing in with an API key or with a set-up link. */

import { useState } from 'preact/hooks';
import { useTitle } from '../announce.ts';
import type { OpenSession } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { CodeLine } from '../components/code.tsx';
import { Field } from '../components/inputs.tsx';
import { Notice } from '../components/messages.tsx';
import { errorOfOnly } from '../field-errors.ts';
import { signIn, signInNotice } from '../state/session.ts';
import { useAction } from '../use-action.ts';

/** Recognises a set-up link or its token; any other text is sent as a key. */
function proofOf(text: string): OpenSession {
	const link = /#\/setup\/([^/?#\s]+)$/.exec(text);
	if (link?.[1]) return { token: decodeURIComponent(link[1]) };
	return /^(sk_|fk_)/.test(text) ? { key: text } : { token: text };
}

function Help() {
	return (
		<details class="sign-in-help muted">
			<summary>Where do I get one?</summary>
			<div class="stack small">
				<p>On the machine that runs formsrv, this prints a link that signs you in once; opening it is enough:</p>
				<CodeLine text="formsrv dashboard-link" what="the command" />
				<p>The first start of the server also printed one. For a permanent key:</p>
				<CodeLine text="formsrv keys create" what="the command" />
			</div>
		</details>
	);
}

export function SignIn() {
	useTitle('Sign in');
	const [text, setText] = useState('');
	const { run, isBusy, error } = useAction(async () => {
		if (text.trim() === '') throw new Error('Paste an API key or a set-up link.');
		await signIn(proofOf(text.trim()));
	});
	return (
		<main class="sign-in">
			<div class="sign-in-card card stack">
				<span class="brand-mark large" />
				<h1>Sign in to formsrv</h1>
				{signInNotice.value && <Notice role="status">{signInNotice.value}</Notice>}
				<form class="stack" onSubmit={run}>
					<Field
						label="API key or set-up link"
						type="password"
						value={text}
						onInput={setText}
						error={errorOfOnly(error, 'key')}
						placeholder="sk_live_…"
						autocomplete="current-password"
						isMono
						autoFocus
					/>
					<Button label={isBusy ? 'Signing in…' : 'Sign in'} type="submit" look="primary block" disabled={isBusy} />
				</form>
				<Help />
			</div>
		</main>
	);
}
