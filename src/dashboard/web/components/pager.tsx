/** Links to the previous and next page, and the current position. */

import { formatCount } from '../../../text/plural.ts';
import type { Pagination } from '../api-types.ts';
import { IconLink } from './buttons.tsx';

interface Props {
	pagination: Pagination;
	/** The address of a page, counted from 1. */
	addressOf: (page: number) => string;
}

export function Pager({ pagination, addressOf }: Props) {
	const { limit, offset, total, hasMore } = pagination;
	const page = Math.floor(offset / limit) + 1;
	const last = Math.min(offset + limit, total);
	if (total === 0 || (page === 1 && !hasMore)) return null;
	return (
		<nav class="pager row" aria-label="Pages">
			<span class="muted">
				{formatCount(offset + 1)}–{formatCount(last)} of {formatCount(total)}
			</span>
			{page > 1 && <IconLink icon="back" label="Previous page" href={addressOf(page - 1)} />}
			{hasMore && <IconLink icon="chevron" label="Next page" href={addressOf(page + 1)} />}
		</nav>
	);
}
