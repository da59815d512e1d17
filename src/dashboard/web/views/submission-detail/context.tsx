/** Data kept of a submission beside its fields, as the form wants it. */

import { type Dropped, describeDropped } from '../../../../form-values/dropped-files.ts';
import { say } from '../../../../languages/translations.ts';
import type { Submission } from '../../api-types.ts';

interface Kept extends Dropped {
	test?: boolean;
	page?: string;
	utm?: Record<string, string>;
	address?: string;
	agent?: string;
}

export function Context({ meta }: Pick<Submission, 'meta'>) {
	const kept = (meta ?? {}) as Kept;
	const { test, page, utm = {}, address, agent, dropped = [] } = kept;
	const campaign = Object.entries(utm).map(([name, value]) => `${name}: ${value}`);
	const rows = [
		['Test', test && 'Sent by an owner to test the form'],
		['Page', page],
		['Campaign', campaign.join(', ')],
		['Address', address],
		['Browser', agent],
		['Dropped fields', dropped.join(', ')],
		[
			'Dropped files',
			describeDropped(kept)
				.map((line) => say(...line))
				.join('\n'),
		],
	].filter(([, text]) => text);
	if (rows.length === 0) return null;
	return (
		<section class="detail-section stack" aria-labelledby="context-heading">
			<h3 id="context-heading">Context</h3>
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
