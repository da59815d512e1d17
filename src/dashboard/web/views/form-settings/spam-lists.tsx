/** The block and allow lists of a form, or of all forms, one entry on each line. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { SpamLists as Lists } from '../../api-types.ts';
import { FormFoot } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { Loaded } from '../../components/messages.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/more-words.ts';
import { may } from '../../state/session.ts';
import { showToast, showUnsaved } from '../../state/toasts.ts';
import { unsaved, useUnsaved } from '../../state/unsaved.ts';
import { useAction } from '../../use-action.ts';
import { useQuery } from '../../use-query.ts';

interface Draft {
	block: string;
	allow: string;
}

/** Lists as they are typed, and those that they are to replace. */
interface Edit {
	stored: Draft;
	draft: Draft;
}

const asStored = (stored: Draft): Edit => ({ stored, draft: stored });

const LISTS = [
	{
		name: 'block',
		label: words.formSettings.block,
		hint: words.formSettings.blockHint,
		placeholder: 'domain:spam.example',
	},
	{
		name: 'allow',
		label: words.formSettings.allow,
		hint: words.formSettings.allowHint,
		placeholder: 'email:ada@example.com',
	},
] as const;

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

/** Lines to add and to remove: a list sent whole would undo what another owner has added meanwhile. */
function changeOf(stored: string, draft: string): { add: string[]; remove: string[] } {
	const [before, after] = [new Set(linesOf(stored)), new Set(linesOf(draft))];
	return {
		add: [...after].filter((line) => !before.has(line)),
		remove: [...before].filter((line) => !after.has(line)),
	};
}

const draftOf = ({ block, allow }: Lists): Draft => ({ block: block.join('\n'), allow: allow.join('\n') });

function Editor({ form, saved }: { form: string | undefined; saved: Lists }) {
	const place = `lists ${form ?? ''}`;
	const [edit, setEdit] = useState(() => unsaved<Edit>().get(place) ?? asStored(draftOf(saved)));
	const { stored, draft } = edit;
	const changes = { block: changeOf(stored.block, draft.block), allow: changeOf(stored.allow, draft.allow) };
	const { run, isBusy, error } = useAction(async () => {
		const lists = await api.lists
			.change(form, changes)
			.then(() => api.lists.read(form))
			.catch((error) => showUnsaved(error, words.formSettings.entries));
		// More may have been typed while this was saved: it stays, as a change of what was sent.
		setEdit((now) => (now.draft === draft ? asStored(draftOf(lists)) : { stored: draft, draft: now.draft }));
		showToast(words.formSettings.listsSaved);
	});
	const isChanged = draft.block !== stored.block || draft.allow !== stored.allow;
	useUnsaved(place, isChanged ? edit : undefined);
	return (
		<form class="stack" onSubmit={run} noValidate>
			<p class="muted small">
				{words.formSettings.listsHint((kind) => (
					<code>{kind}</code>
				))}
			</p>
			{LISTS.map(({ name, ...shown }) => (
				<Field
					key={name}
					{...shown}
					lines={4}
					isMono
					value={draft[name]}
					error={errorOf(error, `${name}.add`, changes[name].add) ?? errorOf(error, name)}
					disabled={!may('write')}
					onInput={(text) => setEdit((now) => ({ ...now, draft: { ...now.draft, [name]: text } }))}
				/>
			))}
			{may('write') && (
				<FormFoot
					save={words.formSettings.saveLists}
					isBusy={isBusy}
					isChanged={isChanged}
					onDiscard={() => setEdit(asStored(stored))}
				/>
			)}
		</form>
	);
}

/** @param form Without it the lists are those of all forms. */
export function SpamLists({ form }: { form?: string }) {
	const query = useQuery(`lists ${form ?? ''}`, () => api.lists.read(form));
	return (
		<section class="card stack" aria-labelledby="spam-lists">
			<h2 id="spam-lists">{form === undefined ? words.formSettings.listsOfAll : words.formSettings.lists}</h2>
			<Loaded query={query}>{(lists) => <Editor form={form} saved={lists} />}</Loaded>
		</section>
	);
}
