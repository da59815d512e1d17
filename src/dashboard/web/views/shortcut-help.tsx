/** All keyboard shortcuts, and the switch that turns them off. */

import { Dialog } from '../components/dialogs.tsx';
import { Switch } from '../components/inputs.tsx';
import { areShortcutsOn, switchShortcuts } from '../shortcuts.ts';

/** By the names of the bindings. */
const GROUPS: Record<string, Record<string, string>> = {
	Inbox: {
		j: 'Next submission',
		k: 'Previous submission',
		Enter: 'Open',
		Esc: 'Back to the list',
		x: 'Select',
		'/': 'Search',
	},
	Submission: {
		s: 'Star',
		e: 'Mark read or unread',
		'!': 'Spam, or not spam',
		'+': 'Genuine: teach it',
		'#': 'Delete',
		z: 'Undo',
	},
	'Go to': {
		'g f': 'Forms',
		'g i': 'Inbox of this form',
		'g d': 'Deliveries',
		'g a': 'Audit log',
		'g k': 'API keys',
		'g s': 'Server',
		'?': 'This help',
	},
};

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
	return (
		<Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
			<div class="shortcut-groups">
				{Object.entries(GROUPS).map(([title, keys]) => (
					<section key={title}>
						<h3>{title}</h3>
						<dl class="shortcuts">
							{Object.entries(keys).map(([name, what]) => (
								<div key={what} class="row">
									<dt class="row tight">
										{name.split(' ').map((key) => (
											<kbd key={key}>{key}</kbd>
										))}
									</dt>
									<dd>{what}</dd>
								</div>
							))}
						</dl>
					</section>
				))}
			</div>
			<Switch
				label="Use single-key shortcuts"
				hint="Turn them off if they get in the way of a speech or switch device."
				isOn={areShortcutsOn.value}
				onChange={switchShortcuts}
			/>
		</Dialog>
	);
}
