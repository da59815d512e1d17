/** Whether a submission is worth a closer look: the one thing that every submission pays for. */

import type { RecentTexts } from './text/recent-texts.ts';

/** What any rule of the text may have something to say about. */
const SIGNS = /[!$£€¥₹\u0250-\uffff]|:\/\/|www\.|\d[\d ()-]{7}|[A-Z]{5}/;
/** A longer message is worth it anyway. */
const LONG = 300;

export interface Look {
	isWorthIt: boolean;
	/** Whether the very same data came lately. */
	isRepeated: boolean;
}

const PLAIN: Look = { isWorthIt: false, isRepeated: false };
const WORTH_IT: Look = { isWorthIt: true, isRepeated: false };
const REPEATED: Look = { isWorthIt: true, isRepeated: true };

export function createQuickLook({ mayRepeat }: Pick<RecentTexts, 'mayRepeat'>): (data: string) => Look {
	return (data) => {
		if (mayRepeat(data)) return REPEATED;
		return data.length > LONG || SIGNS.test(data) ? WORTH_IT : PLAIN;
	};
}
