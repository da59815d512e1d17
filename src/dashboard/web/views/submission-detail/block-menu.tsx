/** Blocks the sender of a submission, or the whole domain, at this form or at all forms. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { Submission } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { Switch } from '../../components/inputs.tsx';
import { Menu } from '../../components/menu.tsx';
import type { Inbox } from '../../state/inbox.ts';
import { setFlags } from '../../state/inbox-actions.ts';
import { showError, showToast } from '../../state/toasts.ts';

interface Props {
	inbox: Inbox;
	row: Submission;
	/** Address of the sender. */
	address: string;
}

export function BlockMenu({ inbox, row, address }: Props) {
	const [isForAll, setForAll] = useState(false);
	const domain = address.slice(address.lastIndexOf('@') + 1);
	const form = isForAll ? undefined : inbox.formId;

	async function block(entry: string, who: string): Promise<void> {
		try {
			await api.lists.change(form, { block: { add: [entry] } });
			const unblock = () => api.lists.change(form, { block: { remove: [entry] } }).catch(showError);
			showToast(`${who} is blocked at ${isForAll ? 'all forms' : 'this form'}.`, {
				actions: [{ label: 'Unblock', run: () => void unblock() }],
			});
			if (!row.isSpam) await setFlags(inbox, [row], { isSpam: true });
		} catch (error) {
			showError(error);
		}
	}

	return (
		<Menu
			label={
				<>
					<Icon name="ban" />
					Block
				</>
			}
			name="Block the sender"
		>
			<div class="stack block-menu">
				<p class="small muted">What comes from there goes to spam from now on, and so does this submission.</p>
				<Button label={`Block ${address}`} look="small" onClick={() => void block(`email:${address}`, address)} />
				<Button label={`Block all of ${domain}`} look="small" onClick={() => void block(`domain:${domain}`, domain)} />
				<Switch label="At all forms" isOn={isForAll} onChange={setForAll} />
			</div>
		</Menu>
	);
}
