/** How a delivery is shown: its channel as an icon, its state as a coloured word. */

import type { Channel, DeliveryState } from '../api-types.ts';
import { Icon } from './icon.tsx';

export const STATE_NAMES: Record<DeliveryState, string> = {
	waiting: 'Waiting',
	sending: 'Sending',
	gathered: 'In next digest',
	sent: 'Sent',
	failed: 'Failed',
	withheld: 'Withheld',
	captured: 'Captured',
};

const TONES: Record<DeliveryState, string> = {
	waiting: 'chip',
	sending: 'chip info',
	gathered: 'chip info',
	sent: 'chip good',
	failed: 'chip bad',
	withheld: 'chip warn',
	captured: 'chip test',
};

export function DeliveryStateChip({ state }: { state: DeliveryState }) {
	return <span class={TONES[state]}>{STATE_NAMES[state]}</span>;
}

export function ChannelIcon({ channel }: { channel: Channel }) {
	return <Icon name={channel === 'mail' ? 'mail' : 'plug'} />;
}
