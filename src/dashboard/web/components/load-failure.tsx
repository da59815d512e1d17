/** Shows why loading failed, with a button to retry. */

import { EmptyState } from './empty-state.tsx';

export function LoadFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
	return (
		<EmptyState icon="warning" title="This could not be loaded">
			<p role="alert">{error instanceof Error ? error.message : 'Something went wrong.'}</p>
			<button type="button" class="button" onClick={onRetry}>
				Try again
			</button>
		</EmptyState>
	);
}
