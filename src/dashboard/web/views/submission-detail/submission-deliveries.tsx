/** The deliveries of a submission, which can be retried. */

import * as api from '../../api.ts';
import type { Delivery } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { ChannelIcon, DeliveryStateChip } from '../../components/delivery-state.tsx';
import { Time } from '../../components/time.tsx';
import { to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import { useDeliveryEvents } from '../../state/live.ts';
import { showError } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';

function Item({ delivery, onRetried }: { delivery: Delivery; onRetried: () => void }) {
	const canRetry = ['failed', 'withheld', 'held'].includes(delivery.state);
	const retry = () => api.deliveries.retry(delivery.id).then(onRetried).catch(showError);
	return (
		<li class="delivery-item">
			<ChannelIcon channel={delivery.channel} />
			<div class="lines">
				<a href={to.delivery(delivery.id)}>
					<bdi>{delivery.destination}</bdi>
				</a>
				<span class="muted small">
					{words.submission.attempts(delivery.attempts)}
					{delivery.finishedAt && (
						<>
							{' · '}
							<Time iso={delivery.finishedAt} />
						</>
					)}
				</span>
				{delivery.lastError && <span class="error-text small">{delivery.lastError}</span>}
			</div>
			<DeliveryStateChip state={delivery.state} />
			{canRetry && (
				<Button
					label={delivery.state === 'failed' ? words.submission.retry : words.controls.send}
					look="small"
					onClick={retry}
				/>
			)}
		</li>
	);
}

export function SubmissionDeliveries({ form, submission }: { form: string; submission: string }) {
	const { data, reload } = useQuery(submission, () => api.submissions.deliveries(form, submission));
	useDeliveryEvents(reload);
	if (data === undefined) return null;
	return (
		<section class="detail-section stack">
			<h3>{words.submission.notifications}</h3>
			{data.deliveries.length === 0 ? (
				<p class="muted small">{words.submission.noNotifications}</p>
			) : (
				<ul class="delivery-items">
					{data.deliveries.map((delivery) => (
						<Item key={delivery.id} delivery={delivery} onRetried={reload} />
					))}
				</ul>
			)}
		</section>
	);
}
