/** Blocks the sender of a submission, or the whole domain, at this form or at all forms. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import { Button } from '../../components/buttons.tsx';
import { Icon } from '../../components/icon.tsx';
import { Switch } from '../../components/inputs.tsx';
import { Menu } from '../../components/menu.tsx';
import * as words from '../../sentences/words.ts';
import type { RowProps } from '../../state/inbox.ts';
import { setFlags } from '../../state/inbox-actions.ts';
import { showError, showToast } from '../../state/toasts.ts';

export function BlockMenu({ inbox, row, address }: RowProps & { address: string }) {
	const [isForAll, setForAll] = useState(false);
	const domain = address.slice(address.lastIndexOf('@') + 1);
	const form = isForAll ? undefined : inbox.formId;

	async function block(entry: string, who: string): Promise<void> {
		try {
			await api.lists.change(form, { block: { add: [entry] } });
			const unblock = () => api.lists.change(form, { block: { remove: [entry] } }).catch(showError);
			showToast(words.submission.blocked(who, isForAll), {
				actions: [{ label: words.submission.unblock, run: () => void unblock() }],
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
					{words.submission.block}
				</>
			}
			name={words.submission.blockSender}
		>
			<div class="stack block-menu">
				<p class="small muted">{words.submission.blockHint}</p>
				<Button
					label={words.submission.blockAddress(address)}
					look="small"
					onClick={() => void block(`email:${address}`, address)}
				/>
				<Button
					label={words.submission.blockDomain(domain)}
					look="small"
					onClick={() => void block(`domain:${domain}`, domain)}
				/>
				<Switch label={words.submission.atAllForms} isOn={isForAll} onChange={setForAll} />
			</div>
		</Menu>
	);
}
