/** The mail of a form with invented values: shown, or sent to its recipients. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { Form } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { Dialog } from '../../components/dialogs.tsx';
import { ActionFailure, Loaded } from '../../components/messages.tsx';
import { Term } from '../../components/term.tsx';
import { session } from '../../state/session.ts';
import { showToast } from '../../state/toasts.ts';
import { useAction } from '../../use-action.ts';
import { useQuery } from '../../use-query.ts';

function Preview({ form, onClose }: { form: string; onClose: () => void }) {
	const query = useQuery(form, () => api.forms.previewMail(form));
	return (
		<Dialog title="The mail of this form" isWide onClose={onClose}>
			<Loaded query={query}>
				{({ from, to, cc, bcc, replyTo, subject }) => (
					<div class="stack">
						<dl class="terms stack">
							<Term name="From">{from.name ? `${from.name} <${from.address}>` : from.address}</Term>
							<Term name="To">{to.join(', ')}</Term>
							{cc.length > 0 && <Term name="Copies">{cc.join(', ')}</Term>}
							{bcc.length > 0 && <Term name="Hidden copies">{bcc.join(', ')}</Term>}
							{replyTo !== null && <Term name="Reply to">{replyTo}</Term>}
							<Term name="Subject">{subject}</Term>
						</dl>
						<iframe class="mail-frame" title="The mail as it looks" sandbox="" src={api.forms.mailAddress(form)} />
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
		showToast(`The mail server accepted a test mail to ${to.join(', ')}.`);
	});
	if (form.notificationEmail === null && form.routes.length === 0) return null;
	return (
		<div class="stack">
			<div class="row wrap">
				<Button label="Preview the mail" onClick={() => setShown(true)} />
				{session.value?.mode !== 'test' && (
					<Button label={isBusy ? 'Sending…' : 'Send a test mail'} icon="mail" onClick={run} disabled={isBusy} />
				)}
			</div>
			<p class="muted small">With invented values, and the settings as they are saved.</p>
			<ActionFailure error={error} />
			{isShown && <Preview form={form.id} onClose={() => setShown(false)} />}
		</div>
	);
}
