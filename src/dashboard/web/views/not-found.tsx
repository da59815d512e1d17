/** The view of an unknown address. */

import { useTitle } from '../announce.ts';
import { EmptyState } from '../components/messages.tsx';
import { to } from '../router.ts';

export function NotFound() {
	useTitle('Not found');
	return (
		<EmptyState icon="search" title="There is nothing at this address">
			<h1 class="visually-hidden">Not found</h1>
			<p>The form may have been deleted, or it belongs to the other mode (live or test).</p>
			<a class="button" href={to.forms()}>
				All forms
			</a>
		</EmptyState>
	);
}
