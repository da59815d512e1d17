/** A table that follows from the description of its columns. */

import type { ComponentChildren } from 'preact';

export interface Column<T> {
	head: string;
	/** For screen readers only. */
	isHeadHidden?: boolean;
	/** Class of the head and of the cells. */
	class?: string;
	cell: (row: T) => ComponentChildren;
}

interface Props<T> {
	/** For screen readers. */
	name: string;
	class?: string;
	columns: Column<T>[];
	rows: readonly T[];
	rowClass?: (row: T) => string;
}

export function Table<T extends { id: string }>({ name, class: own, columns, rows, rowClass }: Props<T>) {
	return (
		<div class="card table-card">
			<table class={own ? `table ${own}` : 'table'}>
				<caption class="visually-hidden">{name}</caption>
				<thead>
					<tr>
						{columns.map(({ head, isHeadHidden, class: column }) => (
							<th key={head} scope="col" class={column}>
								{isHeadHidden ? <span class="visually-hidden">{head}</span> : head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={row.id} class={rowClass?.(row)}>
							{columns.map(({ head, class: column, cell }) => (
								<td key={head} class={column}>
									{cell(row)}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}
