/** Pure: what follows from the reasons that the rules gave: the score, and whether it is spam. */

import { isJson } from '../storage/damage.ts';
import { type RuleName, ruleOf } from './rules.ts';

export interface SpamReason {
	rule: RuleName;
	/** Rounded to a tenth. */
	points: number;
	/** From which a person can recompute the points. */
	detail: string;
}

/** Points of a decisive rule: as many as the highest threshold. */
const DECISIVE_POINTS = 10;

/** A reason that makes a submission spam by itself. */
export function decisive(rule: RuleName, detail: string): SpamReason {
	return { rule, points: DECISIVE_POINTS, detail };
}

/** An entry of an allow list: fewer points than all that may be found besides. */
export function allowed(entry: string): SpamReason {
	return { rule: 'allow', points: -20, detail: entry };
}

/** The sum of the points, rounded to a tenth. */
export function scoreOf(reasons: readonly Pick<SpamReason, 'points'>[]): number {
	let sum = 0;
	for (const { points } of reasons) sum += points;
	return Math.round(sum * 10) / 10;
}

/** The reason in a few words for which a submission is spam: that of a decisive rule, or `score`. `null` if it is not spam. */
export function verdictOf(reasons: readonly SpamReason[], threshold: number | null): string | null {
	let cause: SpamReason | undefined;
	for (const reason of reasons) {
		if (reason.rule === 'allow') return null;
		if (ruleOf(reason.rule)?.verdict) cause ??= reason;
	}
	if (cause) return ruleOf(cause.rule)?.verdict === 'detail' ? `${cause.rule}: ${cause.detail}` : cause.rule;
	return threshold !== null && scoreOf(reasons) >= threshold ? 'score' : null;
}

/** The reasons of a stored submission; none if they cannot be read any more. */
export function parseReasons(json: string | null): SpamReason[] {
	return json === null || !isJson(json) ? [] : (JSON.parse(json) as SpamReason[]);
}

/**
 * JSON text of reasons for who sees one form only, such as a form-level key or the receiver of a mail: of what marks in other forms
 * taught, the points alone.
 */
export function reasonsOfForm(json: string | null): string | null {
	if (!json?.includes('"words-server"')) return json;
	const detail = 'From the marks of all forms.';
	return JSON.stringify(
		parseReasons(json).map((reason) => (reason.rule === 'words-server' ? { ...reason, detail } : reason)),
	);
}

/** One line for people: `Spam score 2: Links +0.5 (…); Markup for links +1.5 (…)`. */
export function describeReasons(reasons: readonly SpamReason[]): string {
	const parts = reasons.map(
		({ rule, points, detail }) => `${ruleOf(rule)?.label ?? rule} ${signed(points)} (${detail})`,
	);
	return `Spam score ${scoreOf(reasons)}: ${parts.join('; ')}`;
}

/** Points with their sign, as in `+1.5`. */
export function signed(points: number): string {
	return points > 0 ? `+${points}` : `${points}`.replace('-', '−');
}
