/** Labels as chips, each leading to all that have it, and texts that are stored when they are left. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { LABEL_MAX, LABELS_MAX } from '../../../../storage/labels.ts';
import { TEXT_NAMES, TEXTS, type TextName } from '../../../../storage/owned.ts';
import type { Submission } from '../../api-types.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import type { Inbox } from '../../state/inbox.ts';
import { setWords } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';

interface Props {
	inbox: Inbox;
	row: Submission;
}

function Labels({ inbox, row }: Props) {
	if (row.labels.length === 0) return null;
	return (
		<ul class="row wrap label-list">
			{row.labels.map((label) => (
				<li key={label} class="chip label">
					<a href={to.inbox(inbox.formId, { label })}>
						<bdi>{label}</bdi>
					</a>
					{may('write') && (
						<IconButton
							icon="x"
							label={words.submission.removeLabel(label)}
							onClick={() => void setWords(inbox, row, { set: {}, removeLabels: [label] })}
						/>
					)}
				</li>
			))}
		</ul>
	);
}

function NewLabel({ inbox, row }: Props) {
	const [label, setLabel] = useState('');
	const known = useId();
	async function add(event: Event): Promise<void> {
		event.preventDefault();
		const added = label.trim();
		if (added === '') return;
		if (await setWords(inbox, row, { set: {}, addLabels: [added] })) setLabel('');
	}
	return (
		<form class="new-label row" onSubmit={(event) => void add(event)}>
			<Field
				label={words.submission.newLabel}
				value={label}
				onInput={setLabel}
				maxLength={LABEL_MAX}
				list={known}
				disabled={row.labels.length >= LABELS_MAX}
			/>
			<datalist id={known}>
				{inbox.labels.value
					.filter((other) => !row.labels.includes(other))
					.map((other) => (
						<option key={other} value={other} />
					))}
			</datalist>
			<Button label={words.submission.addLabel} type="submit" disabled={label.trim() === ''} />
		</form>
	);
}

function Text({ inbox, row, name }: Props & { name: TextName }) {
	const stored = row[name] ?? '';
	const [text, setText] = useState(stored);
	const before = useRef(stored);
	useEffect(() => {
		// Another owner's text does not replace one that is being written here.
		if (text === before.current) setText(stored);
		before.current = stored;
	}, [stored]);
	const store = () => text !== stored && void setWords(inbox, row, { set: { [name]: text || null } });
	const latest = useRef(store);
	latest.current = store;
	useEffect(() => {
		// A page that is closed, and a view that is left by a key, take the focus away without a word.
		const leave = () => latest.current();
		addEventListener('pagehide', leave);
		return () => {
			removeEventListener('pagehide', leave);
			leave();
		};
	}, []);
	return (
		<Field
			label={words.submission.texts[name].label}
			hint={words.submission.texts[name].hint}
			lines={3}
			maxLength={TEXTS[name].max}
			value={text}
			onInput={setText}
			onLeave={store}
		/>
	);
}

export function OwnWords({ inbox, row }: Props) {
	const mayWrite = may('write');
	if (!mayWrite && row.labels.length === 0 && TEXT_NAMES.every((name) => row[name] === null)) return null;
	return (
		<section class="detail-section stack" aria-label={words.submission.ownWords}>
			<Labels inbox={inbox} row={row} />
			{mayWrite && <NewLabel inbox={inbox} row={row} />}
			{mayWrite && TEXT_NAMES.map((name) => <Text key={name} inbox={inbox} row={row} name={name} />)}
			{!mayWrite && TEXT_NAMES.map((name) => row[name] !== null && <p class="value-text">{row[name]}</p>)}
		</section>
	);
}
