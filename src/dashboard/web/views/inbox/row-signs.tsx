/** The labels of a row, and its end: the points of a submission as spam, its note, its files, and when it came. */

import type { Submission } from '../../api-types.ts';
import { Icon } from '../../components/icon.tsx';
import { Time } from '../../components/time.tsx';
import * as words from '../../sentences/words.ts';

function SpamScore({ row: { isSpam, spamScore } }: { row: Submission }) {
	if (!isSpam || spamScore <= 0) return null;
	return (
		<span class="attached">
			<Icon name="ban" />
			<span aria-hidden="true">{spamScore}</span>
			<span class="visually-hidden">{words.inbox.spamScore(spamScore)}</span>
		</span>
	);
}

function Attached({ row: { files } }: { row: Submission }) {
	if (files.length === 0) return null;
	const isInfected = files.some(({ scan }) => scan === 'infected');
	return (
		<span class={isInfected ? 'attached bad' : 'attached'}>
			<Icon name={isInfected ? 'warning' : 'paperclip'} />
			<span aria-hidden="true">{files.length}</span>
			<span class="visually-hidden">{words.inbox.files(files.length, isInfected)}</span>
		</span>
	);
}

export function RowLabels({ row: { labels } }: { row: Submission }) {
	return labels.map((label) => (
		<span key={label} class="chip label">
			<bdi>{label}</bdi>
		</span>
	));
}

function Noted({ row: { note } }: { row: Submission }) {
	if (note === null) return null;
	return (
		<span class="attached" title={note}>
			<Icon name="note" />
			<span class="visually-hidden">{words.inbox.hasNote}</span>
		</span>
	);
}

export function RowSigns({ row }: { row: Submission }) {
	return (
		<>
			<SpamScore row={row} />
			<Noted row={row} />
			<Attached row={row} />
			<Time iso={row.createdAt} />
		</>
	);
}
