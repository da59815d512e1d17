/** Counts and durations of this process since its start, for monitoring. Labels come from fixed sets, never from a client. */

import type { Family, Sample } from './exposition.ts';

/** Upper bounds of the buckets, in seconds; a last one takes the rest. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type RequestKind = 'submission' | 'api' | 'other';
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
	const submissions = createCounter();
	const spamRules = createCounter();
	const responses = createCounter();
	const commits = createHistogram();
	const requests = { submission: createHistogram(), api: createHistogram(), other: createHistogram() };

	return {
		/** A new submission is on disk, `ms` after it was handed to the database; `spam` is its spam reason. */
		stored(spam: string | null, ms: number): void {
			commits.observe(ms);
			if (spam === null) submissions.add('accepted', '');
			// The rest of a spam reason is a detail, such as the entry of a list.
			else submissions.add('spam', spam.split(':', 1)[0] as string);
		},
		/** Nothing was stored of a submission. */
		rejected: (code: string): void => submissions.add('rejected', code),
		/** The rules that gave points to a submission. */
		judged(reasons: readonly { rule: string }[]): void {
			for (const { rule } of reasons) spamRules.add(rule, '');
		},
		request(kind: RequestKind, status: number, ms: number): void {
			responses.add(kind, status);
			requests[kind].observe(ms);
		},
		families: (): Family[] => [
			{
				name: 'formsrv_submissions_total',
				help: 'Submissions since the start: accepted, spam (reason: the deciding rule, or score), rejected (reason: the error code).',
				type: 'counter',
				samples: submissions.samples('outcome', 'reason'),
			},
			{
				name: 'formsrv_spam_rule_matches_total',
				help: 'Submissions that a rule of the spam score gave points to.',
				type: 'counter',
				samples: spamRules.samples('rule'),
			},
			{
				name: 'formsrv_http_responses_total',
				help: 'Responses by kind of request and status.',
				type: 'counter',
				samples: responses.samples('kind', 'status'),
			},
			{
				name: 'formsrv_http_request_duration_seconds',
				help: 'Time from the head of a request to its response.',
				type: 'histogram',
				samples: Object.entries(requests).flatMap(([kind, histogram]) => histogram.samples({ kind })),
			},
			{
				name: 'formsrv_commit_duration_seconds',
				help: 'Time in which a submission was written and synced to disk.',
				type: 'histogram',
				samples: commits.samples({}),
			},
		],
	};
}

/** Counts by one or two labels. */
function createCounter() {
	const counts = new Map<string, Map<string | number, number>>();
	return {
		add(first: string, second: string | number): void {
			const inner = counts.get(first) ?? new Map<string | number, number>();
			if (inner.size === 0) counts.set(first, inner);
			inner.set(second, (inner.get(second) ?? 0) + 1);
		},
		samples: (first: string, second?: string): Sample[] =>
			[...counts].flatMap(([one, inner]) =>
				[...inner].map(([two, value]) => ({
					labels: { [first]: one, ...(second !== undefined && { [second]: String(two) }) },
					value,
				})),
			),
	};
}

function createHistogram() {
	const counts = new Array<number>(BOUNDS.length + 1).fill(0);
	let sum = 0;
	return {
		observe(ms: number): void {
			const seconds = ms / 1000;
			sum += seconds;
			let at = 0;
			while (seconds > (BOUNDS[at] as number)) at++;
			counts[at] = (counts[at] as number) + 1;
		},
		/** Each bucket counts those below it as well. */
		samples(labels: Readonly<Record<string, string>>): Sample[] {
			let total = 0;
			const buckets = [...BOUNDS, '+Inf'].map((le, at) => {
				total += counts[at] as number;
				return { suffix: '_bucket', labels: { ...labels, le: String(le) }, value: total };
			});
			return [...buckets, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total }];
		},
	};
}
