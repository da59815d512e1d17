/** Words as chips, each leading to all that have it, and texts that are stored when they are left. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { OWN_WORDS, TEXT_NAMES, TEXTS, type TextName, WORD_LISTS, type WordList } from '../../../../storage/owned.ts';
import type { Submission } from '../../api-types.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import type { Inbox } from '../../state/inbox.ts';
import { setWords } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';
import { unsaved } from '../../state/unsaved.ts';

interface Props {
	inbox: Inbox;
	row: Submission;
}

function Words({ inbox, row, list }: Props & { list: WordList }) {
	const { name, most, max, adding, removing } = list;
	const mayWrite = may('write');
	const [word, setWord] = useState('');
	const known = useId();
	async function add(event: Event): Promise<void> {
		event.preventDefault();
		const added = word.trim();
		if (added !== '' && (await setWords(inbox, row, { [adding]: [added] }))) setWord('');
	}
	return (
		<>
			{row[name].length > 0 && (
				<ul class="row wrap label-list">
					{row[name].map((one) => (
						<li key={one} class="chip label">
							<a href={to.inbox(inbox.formId, { [list.one]: one })}>
								<bdi>{one}</bdi>
							</a>
							{mayWrite && (
								<IconButton
									icon="x"
									label={words.submission.removeWord(list, one)}
									onClick={() => void setWords(inbox, row, { [removing]: [one] })}
								/>
							)}
						</li>
					))}
				</ul>
			)}
			{mayWrite && (
				<form class="new-label row" onSubmit={(event) => void add(event)}>
					<Field
						label={words.submission.newWord(list)}
						value={word}
						onInput={setWord}
						maxLength={max}
						list={known}
						disabled={row[name].length >= most}
					/>
					<datalist id={known}>
						{inbox
							.wordsIn(name)
							.filter((other) => !row[name].includes(other))
							.map((other) => (
								<option key={other} value={other} />
							))}
					</datalist>
					<Button label={words.submission.addWord} type="submit" disabled={word.trim() === ''} />
				</form>
			)}
		</>
	);
}

function Text({ inbox, row, name }: Props & { name: TextName }) {
	const stored = row[name] ?? '';
	// With the text that it was to replace: another owner's, written since, is not replaced.
	const place = `${row.id} ${name} ${stored}`;
	const [text, setText] = useState(unsaved<string>().get(place) ?? stored);
	const before = useRef(stored);
	useEffect(() => {
		// Another owner's text does not replace one that is being written here.
		if (text === before.current) setText(stored);
		before.current = stored;
	}, [stored]);
	const store = async () => {
		const drafts = unsaved<string>();
		drafts.delete(place);
		if (text === stored || (await setWords(inbox, row, { set: { [name]: text || null } }))) return;
		drafts.set(place, text);
	};
	const latest = useRef(store);
	latest.current = store;
	useEffect(() => {
		// A page that is closed, and a view that is left by a key, take the focus away without a word.
		const leave = () => void latest.current();
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
			onLeave={() => void store()}
		/>
	);
}

export function OwnWords({ inbox, row }: Props) {
	const mayWrite = may('write');
	if (!mayWrite && OWN_WORDS.every((name) => !row[name]?.length)) return null;
	return (
		<section class="detail-section stack" aria-label={words.submission.ownWords}>
			{WORD_LISTS.map((list) => (
				<Words key={list.name} {...{ inbox, row, list }} />
			))}
			{mayWrite && TEXT_NAMES.map((name) => <Text key={name} inbox={inbox} row={row} name={name} />)}
			{!mayWrite && TEXT_NAMES.map((name) => row[name] !== null && <p class="value-text">{row[name]}</p>)}
		</section>
	);
}
