/** Links to the previous and next page, and the current position. */

import { useEffect } from 'preact/hooks';
import type { Pagination } from '../api-types.ts';
import { replaceAddress } from '../location.ts';
import * as words from '../sentences/words.ts';
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
	const isPast = total > 0 && offset >= total;
	// Such a page was emptied, and gives way to the last one.
	useEffect(() => {
		if (isPast) replaceAddress(addressOf(Math.ceil(total / limit)));
	}, [isPast, total]);
	if (total === 0 || isPast || (page === 1 && !hasMore)) return null;
	return (
		<nav class="pager row" aria-label={words.controls.pages}>
			<span class="muted">{words.controls.rowsOf(offset + 1, last, total)}</span>
			{page > 1 && <IconLink icon="back" label={words.controls.previousPage} href={addressOf(page - 1)} />}
			{hasMore && <IconLink icon="chevron" label={words.controls.nextPage} href={addressOf(page + 1)} />}
		</nav>
	);
}
