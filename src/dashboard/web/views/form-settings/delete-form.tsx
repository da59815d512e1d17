/** Deletes a form, after its name was typed. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { Form } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { navigate, route } from '../../location.ts';
import { to } from '../../router.ts';
import * as words from '../../sentences/more-words.ts';
import { dropForm } from '../../state/forms.ts';
import { showToast } from '../../state/toasts.ts';

export function DeleteForm({ form }: { form: Form }) {
	const [isAsking, setAsking] = useState(false);
	const count = form.submissionCount + form.spamCount + form.pendingCount;

	const remove = async () => {
		await api.forms.remove(form.id);
		dropForm(form.id);
		const shown = route.peek();
		if ('form' in shown && shown.form === form.id) navigate(to.forms());
		showToast(words.formSettings.isRemoved(form.name));
	};
	return (
		<section class="card spread wrap">
			<div>
				<h2>{words.formSettings.remove}</h2>
				<p class="muted">{words.formSettings.removeHint(count, form.fileBytes)}</p>
			</div>
			<Button label={words.formSettings.removeButton} look="danger" onClick={() => setAsking(true)} />
			{isAsking && (
				<ConfirmDialog
					title={words.formSettings.removeQuestion}
					verb={words.formSettings.removeVerb}
					typed={form.slug}
					onConfirm={remove}
					onClose={() => setAsking(false)}
				>
					<p>
						{words.formSettings.removeWarning({
							count,
							hasFiles: form.fileBytes > 0,
							strong: (text) => <strong>{text}</strong>,
						})}
					</p>
				</ConfirmDialog>
			)}
		</section>
	);
}
