/** The rule for scripts: letters of two scripts in one word, and a message in another script than the form usually gets. */

import type { SpamReason } from '../verdict.ts';
import { CYRILLIC, classOf, GREEK, LATIN, SCRIPT_NAMES, SCRIPT_SHIFT } from './characters.ts';
import type { Message } from './message.ts';

/** Signs of mathematics and units, as in `µm`. */
const MIN_WORD = 4;
const MIN_LETTERS = 10;
const MIN_HISTORY = 30;
/** Percentage of messages. */
const RARE = 5;
/** Then the counts are halved, so that a form may change its habits. */
const MAX_HISTORY = 1000;
const MAX_FORMS = 10_000;

const USUAL = SCRIPT_NAMES[LATIN] as string;

type ScriptHistory = ReturnType<typeof createScriptHistory>;

/** The scripts of submissions since the server started, by form, in memory. */
export function createScriptHistory() {
	const forms = new Map<number, { total: number; others: Map<string, number> }>();

	function of(formId: number) {
		const known = forms.get(formId);
		if (known) return known;
		if (forms.size >= MAX_FORMS) forms.clear();
		const made = { total: 0, others: new Map<string, number>() };
		forms.set(formId, made);
		return made;
	}

	return {
		/** Counts a message that is not spam; on the hot path. */
		count(formId: number, script: string = USUAL): void {
			const history = of(formId);
			if (++history.total > MAX_HISTORY) {
				history.total >>= 1;
				for (const [name, count] of history.others) history.others.set(name, count >> 1);
			}
			if (script !== USUAL) history.others.set(script, (history.others.get(script) ?? 0) + 1);
		},
		/** How many of how many messages had the script. */
		share(formId: number, script: string): { count: number; total: number } {
			const { total, others } = of(formId);
			if (script !== USUAL) return { count: others.get(script) ?? 0, total };
			let count = total;
			for (const other of others.values()) count -= other;
			return { count, total };
		},
	};
}

/** The script of most of the letters; Latin if there are few. */
export function scriptOf({ scripts }: Message): { script: string; letters: number } {
	let most = LATIN;
	for (let script = LATIN + 1; script < SCRIPT_NAMES.length; script++)
		if ((scripts[script] as number) > (scripts[most] as number)) most = script;
	return { script: SCRIPT_NAMES[most] as string, letters: scripts[most] as number };
}

/** The first word with letters of Latin and of a script that looks like it. */
function findMixed(message: Message): string | undefined {
	const { scripts, length, starts, ends } = message;
	if (scripts[LATIN] === 0 || (scripts[CYRILLIC] === 0 && scripts[GREEK] === 0)) return undefined;
	const { lower } = message;
	for (let word = 0; word < length; word++) {
		const start = starts[word] as number;
		const end = ends[word] as number;
		if (end - start < MIN_WORD) continue;
		let found = 0;
		for (let at = start; at < end; at++) found |= 1 << (classOf(lower.codePointAt(at) as number) >> SCRIPT_SHIFT);
		if (found & (1 << LATIN) && found & ((1 << CYRILLIC) | (1 << GREEK))) return lower.slice(start, end);
	}
	return undefined;
}

export function judgeScripts(
	message: Message,
	{ formId, history }: { formId: number; history: Pick<ScriptHistory, 'share'> },
): SpamReason[] {
	const reasons: SpamReason[] = [];
	const mixed = findMixed(message);
	if (mixed !== undefined) reasons.push({ rule: 'mixed-scripts', points: 2, detail: `“${mixed.slice(0, 40)}”` });
	const { script, letters } = scriptOf(message);
	const { count, total } = history.share(formId, script);
	if (letters >= MIN_LETTERS && total >= MIN_HISTORY && count * 100 < total * RARE) {
		const detail = `${script}, as ${count} of the last ${total} messages of this form`;
		reasons.push({ rule: 'other-script', points: 1.5, detail });
	}
	return reasons;
}
