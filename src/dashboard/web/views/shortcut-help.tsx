/** All keyboard shortcuts, and the switch that turns them off. */

import { Dialog } from '../components/dialogs.tsx';
import { Switch } from '../components/inputs.tsx';
import * as words from '../sentences/more-words.ts';
import { areShortcutsOn, switchShortcuts } from '../shortcuts.ts';

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
	return (
		<Dialog title={words.frame.shortcuts} onClose={onClose} isWide>
			<div class="shortcut-groups">
				{Object.entries(words.shortcuts.groups).map(([title, keys]) => (
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
				label={words.shortcuts.use}
				hint={words.shortcuts.useHint}
				isOn={areShortcutsOn.value}
				onChange={switchShortcuts}
			/>
		</Dialog>
	);
}
