/** The points of a submission in spam, in a row of the list. */

import type { Submission } from '../../api-types.ts';
import { Icon } from '../../components/icon.tsx';

export function SpamScore({ row: { isSpam, spamScore } }: { row: Submission }) {
	if (!isSpam || spamScore <= 0) return null;
	return (
		<span class="attached">
			<Icon name="ban" />
			<span aria-hidden="true">{spamScore}</span>
			<span class="visually-hidden">Spam score {spamScore}</span>
		</span>
	);
}
