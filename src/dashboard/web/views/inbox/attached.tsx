/** How many files a submission has, in a row of the list; and whether one is infected. */

import { plural } from '../../../../text/plural.ts';
import type { Submission } from '../../api-types.ts';
import { Icon } from '../../components/icon.tsx';

export function Attached({ row: { files } }: { row: Submission }) {
	if (files.length === 0) return null;
	const isInfected = files.some(({ scan }) => scan === 'infected');
	return (
		<span class={isInfected ? 'attached bad' : 'attached'}>
			<Icon name={isInfected ? 'warning' : 'paperclip'} />
			<span aria-hidden="true">{files.length}</span>
			<span class="visually-hidden">
				{plural(files.length, 'file')}
				{isInfected && ', infected'}
			</span>
		</span>
	);
}
