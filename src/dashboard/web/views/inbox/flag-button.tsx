/** The button that sets a flag, or takes it away. */

import type { FlagName } from '../../../../storage/owned.ts';
import { IconButton } from '../../components/buttons.tsx';
import { FLAG_LOOKS } from '../../flags.ts';
import * as words from '../../sentences/words.ts';

interface Props {
	name: FlagName;
	isOn: boolean;
	/** It is that of one submission, and shows whether it is set. */
	isOfOne?: boolean;
	onClick: (() => void) | undefined;
}

export function FlagButton({ name, isOn, isOfOne, onClick }: Props) {
	const { icons, hotkey, tone: own } = FLAG_LOOKS[name];
	const tone = isOfOne ? own : undefined;
	const [icon, label] = isOn ? [icons[1], words.inbox.flags[name][1]] : [icons[0], words.inbox.flags[name][0]];
	return <IconButton {...{ icon, label, hotkey, tone, onClick }} isFilled={tone && isOn} aria-pressed={tone && isOn} />;
}
