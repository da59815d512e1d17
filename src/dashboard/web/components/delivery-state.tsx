/** How a delivery is shown: its channel as an icon, its state as a coloured word. */

import { capitalised } from '../../../text/capitalised.ts';
import type { Channel, DeliveryState } from '../api-types.ts';
import { Icon } from './icon.tsx';

export const STATES: Record<DeliveryState, { name: string; tone: string }> = {
	waiting: { name: 'Waiting', tone: '' },
	sending: { name: 'Sending', tone: 'info' },
	gathered: { name: 'In next digest', tone: 'info' },
	sent: { name: 'Sent', tone: 'good' },
	failed: { name: 'Failed', tone: 'bad' },
	withheld: { name: 'Withheld', tone: 'warn' },
	held: { name: 'Held', tone: 'warn' },
	captured: { name: 'Captured', tone: 'test' },
};

export function DeliveryStateChip({ state }: { state: DeliveryState }) {
	const { name, tone } = STATES[state];
	return <span class={`chip ${tone}`}>{name}</span>;
}

const ICONS = { mail: 'mail', webhook: 'plug', visitor: 'send' } as const satisfies Record<Channel, string>;

export const channelName = (channel: Channel): string =>
	channel === 'visitor' ? 'Mail to the visitor' : capitalised(channel);

export function ChannelIcon({ channel }: { channel: Channel }) {
	return (
		<>
			<Icon name={ICONS[channel]} />
			<span class="visually-hidden">{channelName(channel)}</span>
		</>
	);
}
