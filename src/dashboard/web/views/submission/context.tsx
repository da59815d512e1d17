/** What was kept of a submission beside its fields, as the form wants it. */

import type { Submission } from '../../api-types.ts';

interface Kept {
	page?: string;
	utm?: Record<string, string>;
	address?: string;
	agent?: string;
	/** Names of fields that were not stored. */
	dropped?: string[];
}

export function Context({ meta }: Pick<Submission, 'meta'>) {
	const { page, utm = {}, address, agent, dropped = [] } = (meta ?? {}) as Kept;
	const campaign = Object.entries(utm).map(([name, value]) => `${name}: ${value}`);
	const rows = [
		['Page', page],
		['Campaign', campaign.join(', ')],
		['Address', address],
		['Browser', agent],
		['Dropped fields', dropped.join(', ')],
	].filter(([, text]) => text);
	if (rows.length === 0) return null;
	return (
		<section class="detail-section" aria-labelledby="context-heading">
			<h3 id="context-heading">Context</h3>
			<dl class="fields">
				{rows.map(([name, text]) => (
					<div key={name} class="field-row">
						<dt>{name}</dt>
						<dd>
							<bdi>{text}</bdi>
						</dd>
					</div>
				))}
			</dl>
		</section>
	);
}
