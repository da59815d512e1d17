/** All keyboard shortcuts, and the switch that turns them off. */

import { Dialog } from '../components/dialog.tsx';
import { Switch } from '../components/switch.tsx';
import { areShortcutsOn, switchShortcuts } from '../shortcuts.ts';

const GROUPS: { title: string; keys: [keys: string[], what: string][] }[] = [
	{
		title: 'Inbox',
		keys: [
			[['j'], 'Next submission'],
			[['k'], 'Previous submission'],
			[['Enter'], 'Open'],
			[['Esc'], 'Back to the list'],
			[['x'], 'Select'],
			[['/'], 'Search'],
		],
	},
	{
		title: 'Submission',
		keys: [
			[['s'], 'Star'],
			[['e'], 'Mark read or unread'],
			[['!'], 'Spam, or not spam'],
			[['#'], 'Delete'],
			[['z'], 'Undo'],
		],
	},
	{
		title: 'Go to',
		keys: [
			[['g', 'f'], 'Forms'],
			[['g', 'i'], 'Inbox of this form'],
			[['g', 'd'], 'Deliveries'],
			[['g', 'k'], 'API keys'],
			[['g', 's'], 'Server'],
			[['?'], 'This help'],
		],
	},
];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
	return (
		<Dialog title="Keyboard shortcuts" onClose={onClose} isWide>
			<div class="shortcut-groups">
				{GROUPS.map(({ title, keys }) => (
					<section key={title}>
						<h3>{title}</h3>
						<dl class="shortcuts">
							{keys.map(([names, what]) => (
								<div key={what}>
									<dt>
										{names.map((name) => (
											<kbd key={name}>{name}</kbd>
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
