/** Signing in with an API key or a setup link, by single sign-on, or as the person whom a proxy names. */

import { useState } from 'preact/hooks';
import { useTitle } from '../announce.ts';
import * as api from '../api.ts';
import type { OpenSession } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { CodeLine } from '../components/code.tsx';
import { Field } from '../components/inputs.tsx';
import { ActionFailure, Notice } from '../components/messages.tsx';
import { errorOfOnly } from '../field-errors.ts';
import * as words from '../sentences/words.ts';
import { signIn, signInNotice } from '../state/session.ts';
import { useAction } from '../use-action.ts';
import { useQuery } from '../use-query.ts';

/** Recognises a setup link or its token; any other text is sent as a key. */
function proofOf(text: string): OpenSession {
	const link = /#\/setup\/([^/?#\s]+)$/.exec(text);
	if (link?.[1]) return { token: decodeURIComponent(link[1]) };
	return /^(sk_|fk_)/.test(text) ? { key: text } : { token: text };
}

function Help() {
	return (
		<details class="sign-in-help muted">
			<summary>{words.frame.whereToGetOne}</summary>
			<div class="stack small">
				<p>{words.frame.getLink}</p>
				<CodeLine text="formsrv dashboard-link" what={words.frame.theCommand} />
				<p>{words.frame.getKey}</p>
				<CodeLine text="formsrv keys create" what={words.frame.theCommand} />
			</div>
		</details>
	);
}

/** The ways besides a key, if the server has any. */
function OtherWays() {
	const { data } = useQuery('ways', api.session.ways);
	const { run, isBusy, error } = useAction(() => signIn({ proxy: true }));
	if (!data?.proxy && !data?.oidc) return null;
	return (
		<div class="stack">
			{data.proxy && (
				<Button label={words.frame.signInAs(data.proxy)} look="primary block" disabled={isBusy} onClick={run} />
			)}
			<ActionFailure error={error} />
			{data.oidc && (
				<a class="button primary block" href={data.oidc}>
					{words.frame.singleSignOn}
				</a>
			)}
			<p class="muted small">{words.frame.orByKey}</p>
		</div>
	);
}

export function SignIn() {
	useTitle(words.frame.signIn);
	const [text, setText] = useState('');
	const { run, isBusy, error } = useAction(async () => {
		if (text.trim() === '') throw new Error(words.frame.noProof);
		await signIn(proofOf(text.trim()));
	});
	return (
		<main class="sign-in">
			<div class="sign-in-card card stack">
				<span class="brand-mark large" />
				<h1>{words.frame.signInTo}</h1>
				{signInNotice.value && <Notice role="status">{signInNotice.value}</Notice>}
				<OtherWays />
				<form class="stack" onSubmit={run}>
					<Field
						label={words.frame.proof}
						type="password"
						value={text}
						onInput={setText}
						error={errorOfOnly(error, 'key')}
						placeholder="sk_live_…"
						autocomplete="current-password"
						isMono
						autoFocus
					/>
					<Button
						label={isBusy ? words.frame.signingIn : words.frame.signIn}
						type="submit"
						look="primary block"
						disabled={isBusy}
					/>
				</form>
				<Help />
			</div>
		</main>
	);
}
