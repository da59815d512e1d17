/** The saved views of a form: opens one, removes one, and saves what the inbox shows now. */

import { useState } from 'preact/hooks';
import { type SavedView, VIEW_NAME_MAX, VIEWS_MAX } from '../../../../form-values/saved-views.ts';
import * as api from '../../api.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { Field } from '../../components/inputs.tsx';
import { Menu } from '../../components/menu.tsx';
import { type InboxQuery, openedQuery, savedQuery, to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import { formOf, loadForms, putForm } from '../../state/forms.ts';
import { may, session } from '../../state/session.ts';
import { showError } from '../../state/toasts.ts';

function SaveView({ onSave }: { onSave: (name: string) => Promise<void> }) {
	const [name, setName] = useState('');
	const save = (event: Event) => {
		event.preventDefault();
		void onSave(name.trim());
	};
	return (
		<form class="stack" onSubmit={save}>
			<Field label={words.inbox.viewName} value={name} onInput={setName} maxLength={VIEW_NAME_MAX} />
			<Button label={words.inbox.saveView} type="submit" look="small" disabled={name.trim() === ''} />
		</form>
	);
}

export function Views({ form: id, query }: { form: string; query: InboxQuery }) {
	const views = formOf(id)?.views ?? [];
	const mayChange = may('write') && !session.value?.form;
	const now = savedQuery(query);
	/** A program may have written its query in another way. */
	const isShown = ({ query: saved }: SavedView) => savedQuery(openedQuery(saved)) === now;
	const current = views.find(isShown);
	if (views.length === 0 && (!mayChange || now === '')) return null;

	/** Changes the views as they are stored: those on the screen may be older than what another owner has saved. */
	async function store(change: (stored: SavedView[]) => SavedView[]): Promise<void> {
		try {
			await loadForms();
			putForm(await api.forms.update(id, { views: change(formOf(id)?.views ?? []) }));
		} catch (error) {
			showError(error);
		}
	}

	const remove = (name: string) => store((stored) => stored.filter((view) => view.name !== name));
	const save = (name: string) =>
		store((stored) => [...stored.filter((view) => view.name !== name), { name, query: now }]);
	return (
		<Menu
			name={current ? words.inbox.viewIs(current.name) : words.inbox.views}
			buttonClass={current ? 'button small active' : 'button small'}
			label={
				<>
					<Icon name="inbox" />
					<bdi class="clip tool-name">{current?.name ?? words.inbox.views}</bdi>
				</>
			}
		>
			<div class="stack">
				{views.length > 0 && (
					<ul class="menu-links">
						{views.map((view) => (
							<li key={view.name} class="row">
								<a href={to.inbox(id, openedQuery(view.query))} aria-current={isShown(view) ? 'true' : undefined}>
									<bdi>{view.name}</bdi>
								</a>
								{mayChange && (
									<IconButton
										icon="x"
										label={words.inbox.removeView(view.name)}
										onClick={() => void remove(view.name)}
									/>
								)}
							</li>
						))}
					</ul>
				)}
				{mayChange && now !== '' && !current && views.length < VIEWS_MAX && <SaveView onSave={save} />}
			</div>
		</Menu>
	);
}
