/** A moment: how long ago, with the exact time at hand. */

import { absoluteTime, relativeTime } from '../format.ts';
import { now } from '../state/clock.ts';

export function Time({ iso }: { iso: string }) {
	return (
		<time dateTime={iso} title={absoluteTime(iso)}>
			{relativeTime(iso, now.value)}
		</time>
	);
}
