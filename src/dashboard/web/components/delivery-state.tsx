/** How a delivery is shown: its channel as an icon, its state as a coloured word. */

import type { ChannelName, DeliveryState } from '../api-types.ts';
import * as words from '../sentences/words.ts';
import { Icon } from './icon.tsx';

const TONES: Record<DeliveryState, string> = {
	waiting: '',
	sending: 'info',
	gathered: 'info',
	sent: 'good',
	failed: 'bad',
	withheld: 'warn',
	held: 'warn',
	captured: 'test',
};

export function DeliveryStateChip({ state }: { state: DeliveryState }) {
	return <span class={`chip ${TONES[state]}`}>{words.deliveries.states[state]}</span>;
}

const ICONS = { mail: 'mail', webhook: 'plug', visitor: 'send' } as const satisfies Record<ChannelName, string>;

export function ChannelIcon({ channel }: { channel: ChannelName }) {
	return (
		<>
			<Icon name={ICONS[channel]} />
			<span class="visually-hidden">{words.deliveries.channels[channel]}</span>
		</>
	);
}
