/** How to connect a website: the form's address, snippets to copy, and a test submission. */

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type FieldRule, labelOf } from '../../../field-rules/rules.ts';
import { CAPTCHAS } from '../../../form-values/captchas.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { CodeBlock, CodeLine, CopyButton } from '../components/code.tsx';
import { Field, Segments, Switch } from '../components/inputs.tsx';
import { Notice } from '../components/messages.tsx';
import { FormView } from '../components/page.tsx';
import { Term } from '../components/term.tsx';
import { messageOf } from '../field-errors.ts';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import { may, session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { useAction } from '../use-action.ts';
import { snippetsOf } from './connect/form-snippets.ts';
import { closedSentence, takesFilesAnywhere, termsOf } from './connect/form-terms.ts';

import { fieldsToAsk, testValues, type Values } from './connect/test-submission.ts';

/** Inputs for what no value can be made up for. */
function AskedField({ rule, onChange }: { rule: FieldRule; onChange: (value: string | File) => void }) {
	const id = useId();
	const [text, setText] = useState('');
	const set = (value: string) => {
		setText(value);
		onChange(value);
	};
	const label = labelOf(rule);
	if (rule.type !== 'file') {
		return <Field label={label} hint="The test needs a value that follows the rule." value={text} onInput={set} />;
	}
	return (
		<div class="field stack">
			<label for={id}>{label}</label>
			<input id={id} type="file" onChange={({ currentTarget: { files } }) => files?.[0] && onChange(files[0])} />
		</div>
	);
}

function TestSubmission({ form }: { form: Form }) {
	const [values, setValues] = useState<Values>({});
	const { run, isBusy, error } = useAction(async () => {
		await api.submitTest(form, await testValues(form, values));
		showToast('The test submission has arrived.', {
			actions: [{ label: 'Show', run: () => navigate(to.inbox(form.id)) }],
		});
	});
	const closed = closedSentence(form, Date.now());
	if (closed) return <Notice tone="warning">{closed}</Notice>;
	if (!may('write')) return <p class="muted">Sending a test submission requires the permission to write.</p>;
	const faults = error instanceof api.ApiError ? Object.values(error.fields) : [];
	return (
		<div class="stack">
			{fieldsToAsk(form).map((rule) => (
				<AskedField
					key={rule.name}
					rule={rule}
					onChange={(value) => setValues((before) => ({ ...before, [rule.name]: value }))}
				/>
			))}
			<div>
				<Button label={isBusy ? 'Sending…' : 'Send a test submission'} onClick={run} disabled={isBusy} />
			</div>
			{error !== undefined && (
				<Notice tone="warning" role="alert">
					{faults.length > 0 ? faults.join(' ') : messageOf(error)}
				</Notice>
			)}
		</div>
	);
}

function Snippets({ form, address }: { form: Form; address: string }) {
	const [id, setId] = useState('html');
	const [withFiles, setWithFiles] = useState(false);
	const hasInput = form.fields?.some(({ type }) => type === 'file') ?? false;
	const mayAddInput = !hasInput && takesFilesAnywhere(form);
	const submitUrl = session.value?.submitUrl ?? '';
	const snippets = snippetsOf(form, { address, submitUrl, withFiles: hasInput || (withFiles && mayAddInput) });
	const chosen = snippets.find((snippet) => snippet.id === id) ?? snippets[0];
	if (chosen === undefined) return null;
	return (
		<section class="card snippets stack" aria-label="Snippets">
			<Segments
				legend="Kind of website"
				class="scroll"
				options={snippets.map((snippet) => ({ value: snippet.id, label: snippet.title }))}
				value={chosen.id}
				onChange={setId}
			/>
			{mayAddInput && <Switch label="With a file input" isOn={withFiles} onChange={setWithFiles} />}
			<div class="snippet-head spread">
				<p class="muted small">{chosen.hint}</p>
				<CopyButton text={chosen.code} what="the snippet" isLabelled />
			</div>
			<CodeBlock text={chosen.code} name={`${chosen.title} snippet`} />
			{form.captcha && chosen.code.includes('YOUR_') && (
				<p class="hint">
					Replace YOUR_SITE_KEY with the site key that {CAPTCHAS[form.captcha].label} gave you. This server knows only
					the secret.
				</p>
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
				<p class="muted">{termsOf(form, Date.now()).join(' ')}</p>
				<CodeLine text={address} what="the address" />
			</section>
			<section class="stack">
				<h2>Put it on a website</h2>
				<Snippets form={form} address={address} />
			</section>
			<section class="stack">
				<h2>See it work</h2>
				<p class="muted">
					Sends one submission as a visitor would, with values that follow the rules. It is marked as a test; allowed
					domains, captcha and spam rules let it pass, and its mails and webhook requests are sent.
				</p>
				<TestSubmission form={form} />
			</section>
			<section class="stack">
				<h2>Special fields</h2>
				<dl class="terms stack">
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
