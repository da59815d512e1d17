/** Deletes a form, after its name was typed. */

import { useState } from 'preact/hooks';
import { roughSize } from '../../../../text/byte-sizes.ts';
import { plural } from '../../../../text/plural.ts';
import * as api from '../../api.ts';
import type { Form } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { navigate, route } from '../../location.ts';
import { to } from '../../router.ts';
import { dropForm } from '../../state/forms.ts';
import { showToast } from '../../state/toasts.ts';

export function DeleteForm({ form }: { form: Form }) {
	const [isAsking, setAsking] = useState(false);
	const count = form.submissionCount + form.spamCount;
	const files = form.fileBytes > 0 && `their files (${roughSize(form.fileBytes)}), `;
	const remove = async () => {
		await api.forms.remove(form.id);
		dropForm(form.id);
		const shown = route.peek();
		if ('form' in shown && shown.form === form.id) navigate(to.forms());
		showToast(`The form “${form.name}” is gone.`);
	};
	return (
		<section class="card spread wrap">
			<div>
				<h2>Delete this form</h2>
				<p class="muted">
					With its {plural(count, 'submission')}, {files}webhooks and the form-level keys that are for it alone, for
					good. Its address is free for another form after 30 days.
				</p>
			</div>
			<Button label="Delete form…" look="danger" onClick={() => setAsking(true)} />
			{isAsking && (
				<ConfirmDialog
					title="Delete this form?"
					verb="Delete for good"
					typed={form.slug}
					onConfirm={remove}
					onClose={() => setAsking(false)}
				>
					<p>
						<strong>{plural(count, 'submission')}</strong> will be removed with it
						{form.fileBytes > 0 && ', and all files attached to them'}. This cannot be undone; export them first if you
						may need them.
					</p>
				</ConfirmDialog>
			)}
		</section>
	);
}
