/** Data kept of a submission beside its fields, as the form wants it. */

import type { Dropped } from '../../../../form-values/dropped-files.ts';

import type { Submission } from '../../api-types.ts';
import * as words from '../../sentences/words.ts';

interface Kept extends Dropped {
	test?: boolean;
	page?: string;
	utm?: Record<string, string>;
	address?: string;
	agent?: string;
}

export function Context({ meta }: Pick<Submission, 'meta'>) {
	const kept = (meta ?? {}) as Kept;
	const { test, page, utm = {}, address, agent, dropped = [], droppedFiles = [], moreDroppedFiles = 0 } = kept;
	const campaign = Object.entries(utm).map(([name, value]) => `${name}: ${value}`);
	const files = droppedFiles.map(words.submission.droppedFile);
	if (moreDroppedFiles > 0) files.push(words.submission.moreDroppedFiles(moreDroppedFiles));
	const rows = [
		[words.submission.test, test && words.submission.isTest],
		[words.submission.page, page],
		[words.submission.campaign, campaign.join(', ')],
		[words.submission.address, address],
		[words.submission.browser, agent],
		[words.submission.droppedFields, dropped.join(', ')],
		[words.submission.droppedFiles, files.join('\n')],
	].filter(([, text]) => text);
	if (rows.length === 0) return null;
	return (
		<section class="detail-section stack" aria-labelledby="context-heading">
			<h3 id="context-heading">{words.submission.context}</h3>
			<dl class="fields">
				{rows.map(([name, text]) => (
					<div key={name} class="field-row">
						<dt class="muted small">{name}</dt>
						<dd>
							<bdi>{text}</bdi>
						</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
