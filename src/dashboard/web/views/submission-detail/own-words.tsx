/** Words as chips, each leading to all that have it, and texts that are stored when they are left. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { OWN_WORDS, TEXT_NAMES, TEXTS, type TextName, WORD_LISTS, type WordList } from '../../../../storage/owned.ts';
import { Button, IconButton } from '../../components/buttons.tsx';
import { Field } from '../../components/inputs.tsx';
import { Notice } from '../../components/messages.tsx';
import { errorOfOnly } from '../../field-errors.ts';
import { to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import type { RowProps } from '../../state/inbox.ts';
import { readWords, setWords } from '../../state/inbox-actions.ts';
import { may } from '../../state/session.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { askBeforeClosing, unsaved } from '../../state/unsaved.ts';
import { useAction } from '../../use-action.ts';

function Words({ inbox, row, list }: RowProps & { list: WordList }) {
	const { name, max, adding, removing } = list;
	const mayWrite = may('write');
	const [word, setWord] = useState('');
	const known = useId();
	const added = word.trim();
	const { run, error, clearError } = useAction(async () => {
		await setWords(inbox, row, { [adding]: [added] });
		// The next one may have been typed meanwhile.
		setWord((now) => (now === word ? '' : now));
	});
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
									onClick={() => setWords(inbox, row, { [removing]: [one] }).catch(showError)}
								/>
							)}
						</li>
					))}
				</ul>
			)}
			{mayWrite && (
				<form class="new-label row" onSubmit={run} noValidate>
					<Field
						label={words.submission.newWord(list)}
						value={word}
						onInput={(text) => {
							setWord(text);
							clearError();
						}}
						error={errorOfOnly(error, adding, [added])}
						maxLength={max}
						list={known}
					/>
					<datalist id={known}>
						{inbox
							.wordsIn(name)
							.filter((other) => !row[name].includes(other))
							.map((other) => (
								<option key={other} value={other} />
							))}
					</datalist>
					<Button label={words.submission.addWord} type="submit" disabled={added === ''} />
				</form>
			)}
		</>
	);
}

/** A text as it is typed, and the stored one that it is to replace. */
interface Typed {
	text: string;
	base: string;
}

const placeOf = (submission: string, name: TextName) => `${submission} ${name}`;

/** Texts that were typed for a submission which is gone by now. */
export function LeftTexts({ submission }: { submission: string }) {
	return TEXT_NAMES.map((name) => {
		const left = unsaved<Typed>().get(placeOf(submission, name))?.text;
		if (!left) return null;
		return (
			<div key={name}>
				<p class="muted small">{words.submission.leftText(name)}</p>
				<p class="value-text" dir="auto">
					{left}
				</p>
			</div>
		);
	});
}

function Text({ inbox, row, name }: RowProps & { name: TextName }) {
	const stored = row[name] ?? '';
	const place = placeOf(row.id, name);
	const [kept, setKept] = useState(unsaved<Typed>().get(place));
	const typed = kept?.text === stored ? undefined : kept;
	/** Another owner has stored another text since: neither replaces the other by itself. */
	const isOutdated = typed !== undefined && typed.base !== stored;
	const keep = ({ text, base }: Typed) => {
		const next = text === base ? undefined : { text, base };
		if (next) unsaved<Typed>().set(place, next);
		else unsaved().delete(place);
		setKept(next);
	};
	const write = (text: string) => setWords(inbox, row, { set: { [name]: text || null } });
	const store = async () => {
		const mine = unsaved<Typed>().get(place);
		if (mine === undefined) return;
		try {
			const { [name]: theirs } = await readWords(inbox, row);
			if (![mine.base, mine.text].includes(theirs ?? '')) return void showToast(words.submission.isOutdated(name));
			await write(mine.text);
			keep({ text: unsaved<Typed>().get(place)?.text ?? mine.text, base: mine.text });
		} catch (error) {
			showError(error);
		}
	};
	/** One after the other: the later text is to be the last that arrives. */
	const storing = useRef(Promise.resolve());
	const asked = useRef<Typed>(undefined);
	const storeNext = () => {
		const mine = unsaved<Typed>().get(place);
		if (mine === asked.current) return;
		asked.current = mine;
		storing.current = storing.current.then(store).then(() => {
			asked.current = undefined;
		});
	};
	// A view that is left by a key takes the focus away without a word.
	useEffect(() => storeNext, []);
	useEffect(() => {
		if (isOutdated) return askBeforeClosing();
		// A page that is closed does not wait for what is stored now.
		const close = () => {
			const mine = unsaved<Typed>().get(place);
			if (mine) write(mine.text).catch(() => {});
		};
		addEventListener('pagehide', close);
		return () => removeEventListener('pagehide', close);
	}, [isOutdated]);
	const choose = (text: string) => {
		keep({ text, base: stored });
		storeNext();
	};
	return (
		<>
			<Field
				label={words.submission.texts[name].label}
				hint={words.submission.texts[name].hint}
				lines={3}
				maxLength={TEXTS[name].max}
				value={typed?.text ?? stored}
				onInput={(text) => keep({ text, base: typed?.base ?? stored })}
				onLeave={() => !isOutdated && storeNext()}
			/>
			{isOutdated && (
				<>
					<Notice tone="warning" role="alert">
						{words.submission.isOutdated(name)}
					</Notice>
					<p class="muted small">{words.submission.theirs}</p>
					<p class={stored ? 'value-text' : 'muted'} dir="auto">
						{stored || words.submission.emptyValue}
					</p>
					<div class="row wrap">
						<Button label={words.submission.storeMine} look="small" onClick={() => choose(typed.text)} />
						<Button label={words.submission.takeTheirs} look="small" onClick={() => choose(stored)} />
					</div>
				</>
			)}
		</>
	);
}

export function OwnWords({ inbox, row }: RowProps) {
	const mayWrite = may('write');
	if (!mayWrite && OWN_WORDS.every((name) => !row[name]?.length)) return null;
	return (
		<section class="detail-section stack" aria-label={words.submission.ownWords}>
			{WORD_LISTS.map((list) => (
				<Words key={list.name} {...{ inbox, row, list }} />
			))}
			{mayWrite && TEXT_NAMES.map((name) => <Text key={name} inbox={inbox} row={row} name={name} />)}
			{!mayWrite &&
				TEXT_NAMES.filter((name) => row[name] !== null).map((name) => (
					<p key={name} class="value-text" dir="auto">
						{row[name]}
					</p>
				))}
		</section>
	);
}
