/** How to connect a website: the form's address, snippets to copy, and a test submission. */

import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { type FieldRule, labelOf } from '../../../field-rules/rules.ts';
import { CAPTCHAS } from '../../../form-values/captchas.ts';
import * as api from '../api.ts';
import type { Form } from '../api-types.ts';
import { Button } from '../components/buttons.tsx';
import { CodeBlock, CodeLine, CopyButton } from '../components/code.tsx';
import { FormView } from '../components/form-view.tsx';
import { Field, Segments, Switch } from '../components/inputs.tsx';
import { Notice } from '../components/messages.tsx';
import { Term } from '../components/term.tsx';
import { messageOf } from '../field-errors.ts';
import { navigate } from '../location.ts';
import { to } from '../router.ts';
import * as words from '../sentences/more-words.ts';
import { may, session } from '../state/session.ts';
import { showToast } from '../state/toasts.ts';
import { useAction } from '../use-action.ts';
import { snippetsOf } from './connect/form-snippets.ts';
import { closedSentence, takesFilesAnywhere, termsOf } from './connect/form-terms.ts';

import { fieldsToAsk, type SentFields, testValues } from './connect/test-submission.ts';

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
		return <Field label={label} hint={words.connect.valueNeeded} value={text} onInput={set} />;
	}
	return (
		<div class="field stack">
			<label for={id}>{label}</label>
			<input id={id} type="file" onChange={({ currentTarget: { files } }) => files?.[0] && onChange(files[0])} />
		</div>
	);
}

function TestSubmission({ form }: { form: Form }) {
	const [values, setValues] = useState<SentFields>({});
	const { run, isBusy, error } = useAction(async () => {
		await api.submitTest(form, await testValues(form, values));
		showToast(words.connect.testArrived, {
			actions: [{ label: words.connect.show, run: () => navigate(to.inbox(form.id)) }],
		});
	});
	const closed = closedSentence(form, Date.now());
	if (closed) return <Notice tone="warning">{closed}</Notice>;
	if (!may('write')) return <p class="muted">{words.connect.testNeedsWrite}</p>;
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
				<Button label={isBusy ? words.controls.sending : words.connect.sendTest} onClick={run} disabled={isBusy} />
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
		<section class="card snippets stack" aria-label={words.connect.snippets}>
			<Segments
				legend={words.connect.kindOfWebsite}
				class="scroll"
				options={snippets.map((snippet) => ({ value: snippet.id, label: snippet.title }))}
				value={chosen.id}
				onChange={setId}
			/>
			{mayAddInput && <Switch label={words.connect.withFileInput} isOn={withFiles} onChange={setWithFiles} />}
			<div class="snippet-head spread">
				<p class="muted small">{chosen.hint}</p>
				<CopyButton text={chosen.code} what={words.connect.theSnippet} isLabelled />
			</div>
			<CodeBlock text={chosen.code} name={words.connect.snippetOf(chosen.title)} />
			{form.captcha && chosen.code.includes('YOUR_') && (
				<p class="hint">{words.connect.siteKeyHint(CAPTCHAS[form.captcha].label)}</p>
			)}
		</section>
	);
}

const specialFields = ({ spam }: Form): [name: string, meaning: ComponentChildren][] => [
	['_next', words.connect.nextMeaning],
	['_subject', words.connect.subjectMeaning],
	['_replyto', words.connect.replyToMeaning(<code>email</code>)],
	...spam.honeypot.map((name): [string, string] => [name, words.connect.honeypotMeaning]),
];

function Connect({ form }: { form: Form }) {
	const address = `${session.value?.submitUrl}/f/${form.slug}`;
	return (
		<>
			<section class="stack">
				<h2>{words.connect.address}</h2>
				<p class="muted">{termsOf(form, Date.now()).join(' ')}</p>
				<CodeLine text={address} what={words.connect.theAddress} />
			</section>
			<section class="stack">
				<h2>{words.connect.putItOn}</h2>
				<Snippets form={form} address={address} />
			</section>
			<section class="stack">
				<h2>{words.connect.seeItWork}</h2>
				<p class="muted">{words.connect.seeItWorkHint}</p>
				<TestSubmission form={form} />
			</section>
			<section class="stack">
				<h2>{words.connect.specialFields}</h2>
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
		<FormView form={id} title={words.frame.connectTab}>
			{(form) => <Connect form={form} />}
		</FormView>
	);
}
