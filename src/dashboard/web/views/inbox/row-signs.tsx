/** The words of a row, and its end: the points of a submission as spam, its texts, its files, and when it came. */

import { TEXT_NAMES, WORD_LISTS } from '../../../../storage/owned.ts';
import type { Submission } from '../../api-types.ts';
import { Icon, type IconName } from '../../components/icon.tsx';
import { Time } from '../../components/time.tsx';
import * as words from '../../sentences/words.ts';

interface SignProps {
	icon: IconName;
	/** Beside the icon. */
	count?: number;
	/** Read aloud in place of both. */
	name: string;
	title?: string;
	isBad?: boolean;
}

function Sign({ icon, count, name, title, isBad }: SignProps) {
	return (
		<span class={isBad ? 'attached bad' : 'attached'} title={title}>
			<Icon name={icon} />
			{count !== undefined && <span aria-hidden="true">{count}</span>}
			<span class="visually-hidden">{name}</span>
		</span>
	);
}

export function RowWords({ row }: { row: Submission }) {
	return WORD_LISTS.flatMap(({ name }) =>
		row[name].map((word) => (
			<span key={`${name} ${word}`} class="chip label">
				<bdi>{word}</bdi>
			</span>
		)),
	);
}

export function RowSigns({ row }: { row: Submission }) {
	const { isSpam, spamScore, files } = row;
	const isInfected = files.some(({ scan }) => scan === 'infected');
	const icon = isInfected ? 'warning' : 'paperclip';
	const nameOfFiles = words.inbox.files(files.length, isInfected);
	const written = TEXT_NAMES.filter((name) => row[name] !== null);
	return (
		<>
			{isSpam && spamScore > 0 && <Sign icon="ban" count={spamScore} name={words.inbox.spamScore(spamScore)} />}
			{written.map((name) => (
				<Sign key={name} icon="note" name={words.submission.texts[name].has} title={row[name] ?? ''} />
			))}
			{files.length > 0 && <Sign icon={icon} count={files.length} name={nameOfFiles} isBad={isInfected} />}
			<Time iso={row.createdAt} />
		</>
	);
}
