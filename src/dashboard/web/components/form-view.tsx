/** The frame of a form's views beside its inbox. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useTitle } from '../announce.ts';
import type { Form } from '../api-types.ts';
import { to } from '../router.ts';
import * as words from '../sentences/more-words.ts';
import { formOf, forms, refreshFormsSoon } from '../state/forms.ts';
import { session } from '../state/session.ts';
import { EmptyState } from './messages.tsx';
import { FormHead, NotFound } from './page.tsx';

interface FormViewProps {
	form: string;
	/** Goes before the form's name. */
	title: string;
	children: (form: Form) => ComponentChildren;
}

/** In place of a form's settings, which a form-level key cannot read. */
function NoSettings({ form }: { form: string }) {
	return (
		<EmptyState icon="key" title={words.formSettings.noSettings}>
			<p>{words.formSettings.noSettingsHint}</p>
			<a class="button" href={to.inbox(form)}>
				{words.frame.inboxTab}
			</a>
		</EmptyState>
	);
}

export function FormView({ form: id, title, children }: FormViewProps) {
	const form = formOf(id);
	const isUnknown = form === undefined && forms.value !== undefined;
	useTitle(words.frame.titleOf(title, form?.name));
	// It may have been created elsewhere since the list was read.
	useEffect(() => {
		if (isUnknown) refreshFormsSoon();
	}, [id, isUnknown]);
	if (form === undefined) return isUnknown ? <NotFound /> : null;
	return (
		<div class="form-view">
			<FormHead form={id} />
			{session.value?.form ? <NoSettings form={id} /> : <div class="column stack large">{children(form)}</div>}
		</div>
	);
}
