/** A relative time, with the exact time as its tooltip. */

import type { TargetedPointerEvent } from 'preact';
import { absoluteTime, relativeTime } from '../format.ts';
import { now } from '../state/clock.ts';

export function Time({ iso }: { iso: string }) {
	// Only on hover: for the first exact time a browser loads all names of time zones.
	const explain = ({ currentTarget }: TargetedPointerEvent<HTMLTimeElement>) => {
		currentTarget.title = absoluteTime(iso);
	};
	return (
		<time dateTime={iso} onPointerEnter={explain}>
			{relativeTime(iso, now.value)}
		</time>
	);
}
