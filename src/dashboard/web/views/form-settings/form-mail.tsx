/** The mail of a form with invented values: shown, or sent to its recipients. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { Form } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { Dialog } from '../../components/dialogs.tsx';
import { ActionFailure, Loaded } from '../../components/messages.tsx';
import { Term } from '../../components/term.tsx';
import * as words from '../../sentences/more-words.ts';
import { session } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { useAction } from '../../use-action.ts';
import { useQuery } from '../../use-query.ts';
import { addressText } from '../deliveries/delivery-dialog.tsx';

function Preview({ form, onClose }: { form: string; onClose: () => void }) {
	const query = useQuery(form, () => api.forms.previewMail(form));
	return (
		<Dialog title={words.formSettings.mailOfForm} isWide onClose={onClose}>
			<Loaded query={query}>
				{({ from, to, cc, bcc, replyTo, subject }) => (
					<div class="stack">
						<dl class="terms stack">
							<Term name={words.controls.mailFrom}>{addressText(from)}</Term>
							<Term name={words.controls.mailTo}>{to.join(', ')}</Term>
							{cc.length > 0 && <Term name={words.formSettings.copies}>{cc.join(', ')}</Term>}
							{bcc.length > 0 && <Term name={words.formSettings.hiddenCopies}>{bcc.join(', ')}</Term>}
							{replyTo !== null && <Term name={words.controls.replyTo}>{replyTo}</Term>}
							<Term name={words.controls.subject}>{subject}</Term>
						</dl>
						<iframe
							class="mail-frame"
							title={words.controls.mailAsItLooks}
							sandbox=""
							src={api.forms.mailAddress(form)}
						/>
					</div>
				)}
			</Loaded>
		</Dialog>
	);
}

export function FormMail({ form }: { form: Form }) {
	const [isShown, setShown] = useState(false);
	const { run, isBusy, error } = useAction(async () => {
		const { to } = await api.forms.testMail(form.id);
		showToast(words.formSettings.mailAccepted(to));
	});
	if (form.notificationEmail === null && form.routes.length === 0) return null;
	return (
		<div class="stack">
			<div class="row wrap">
				<Button label={words.formSettings.previewMail} onClick={() => setShown(true)} />
				{session.value?.mode !== 'test' && (
					<Button
						label={isBusy ? words.controls.sending : words.formSettings.testMail}
						icon="mail"
						onClick={run}
						disabled={isBusy}
					/>
				)}
			</div>
			<p class="muted small">{words.formSettings.mailHint}</p>
			<ActionFailure error={error} />
			{isShown && <Preview form={form.id} onClose={() => setShown(false)} />}
		</div>
	);
}
