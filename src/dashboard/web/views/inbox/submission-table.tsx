/** The submissions of a page as a table with a column for each chosen field. */

import type { Submission } from '../../api-types.ts';
import { Icon } from '../../components/icon.tsx';
import { previewText } from '../../format.ts';
import { to } from '../../router.ts';
import * as words from '../../sentences/words.ts';
import { columnsFor } from '../../state/columns.ts';
import { fieldLabels } from '../../state/forms.ts';
import type { InboxProps } from '../../state/inbox.ts';
import { columnSize, fieldValue, summarise } from '../../summary.ts';
import { classOf, SelectBox, SelectPageBox, StarButton } from './row-controls.tsx';
import { RowSigns, RowWords } from './row-signs.tsx';

function Row({ inbox, query, row, columns }: InboxProps & { row: Submission; columns: string[] }) {
	const [first, ...rest] = columns;
	const title = first === undefined ? '' : previewText(fieldValue(row.data, first));
	return (
		<tr class={classOf(inbox, row)}>
			<td class="col-control">
				<SelectBox inbox={inbox} row={row} />
			</td>
			<td class="col-control">
				<StarButton inbox={inbox} row={row} />
			</td>
			<td>
				{rest.length === 0 && <RowWords row={row} />}
				<a class="row-link" data-id={row.id} href={to.submission(inbox.formId, row.id, query)}>
					{!row.isRead && <span class="visually-hidden">{words.inbox.unreadRow}</span>}
					<bdi>{title === '' ? summarise(row.data).title : title}</bdi>
				</a>
			</td>
			{rest.map((field, at) => (
				<td key={field}>
					{at === rest.length - 1 && <RowWords row={row} />}
					<bdi>{previewText(fieldValue(row.data, field))}</bdi>
				</td>
			))}
			<td class="col-time">
				<RowSigns row={row} />
			</td>
		</tr>
	);
}

/** Renders `rows`; all rows of the page decide how wide the columns are. */
export function SubmissionTable({ inbox, query, rows }: InboxProps & { rows: readonly Submission[] }) {
	const columns = columnsFor(inbox.formId, inbox.page.value?.fields ?? []);
	const labelOf = fieldLabels(inbox.formId);
	const sizes = columns.map((field) => columnSize(inbox.rows.value.map(({ data }) => fieldValue(data, field))));
	const isNewestFirst = query.order === 'desc';
	const otherOrder = isNewestFirst ? 'asc' : 'desc';
	return (
		<table class="table submissions-table">
			<caption class="visually-hidden">{words.inbox.submissions}</caption>
			<thead>
				<tr class={sizes.includes('wide') ? 'has-wide' : undefined}>
					<th scope="col" class="col-control">
						<SelectPageBox inbox={inbox} />
					</th>
					<th scope="col" class="col-control">
						<span class="visually-hidden">{words.inbox.starred}</span>
					</th>
					{columns.map((field, at) => (
						<th scope="col" key={field} class={`col-${sizes[at]}`}>
							<bdi>{labelOf(field)}</bdi>
						</th>
					))}
					<th scope="col" class="col-time" aria-sort={isNewestFirst ? 'descending' : 'ascending'}>
						<a href={to.inbox(inbox.formId, { ...query, order: otherOrder, page: 1 })} class="sort">
							{words.inbox.received}
							<Icon name={isNewestFirst ? 'down' : 'up'} />
						</a>
					</th>
				</tr>
			</thead>
			<tbody>
				{rows.map((row) => (
					<Row key={row.id} inbox={inbox} query={query} row={row} columns={columns} />
				))}
			</tbody>
		</table>
	);
}
