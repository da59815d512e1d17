/** Chooses which fields are columns of the table. */

import { Icon } from '../../components/icon.tsx';
import { Menu } from '../../components/menu.tsx';
import { columnsFor, rememberColumns } from '../../state/columns.ts';
import type { Inbox } from '../../state/inbox.ts';

export function ColumnsMenu({ inbox }: { inbox: Inbox }) {
	const fields = inbox.page.value?.fields ?? [];
	if (fields.length < 2) return null;
	const shown = columnsFor(inbox.formId, fields);
	const toggle = (field: string) => {
		const next = fields.filter((name) => (name === field ? !shown.includes(name) : shown.includes(name)));
		if (next.length > 0) rememberColumns(inbox.formId, next);
	};
	return (
		<Menu name="Columns" buttonClass="icon-button" label={<Icon name="columns" />}>
			<fieldset class="checks">
				<legend>Columns</legend>
				{fields.map((field) => (
					<label key={field} class="check">
						<input type="checkbox" checked={shown.includes(field)} onChange={() => toggle(field)} />
						<bdi>{field === '' ? '(empty name)' : field}</bdi>
					</label>
				))}
			</fieldset>
		</Menu>
	);
}
