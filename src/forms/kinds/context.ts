/** The kind of the setting for data kept beside the fields; `null` stands for none. */

import {
	ADDRESS_PARTS,
	type ContextRules,
	type ContextRulesInput,
	formatContextRules,
	NO_CONTEXT,
	parseContextRules,
} from '../../form-values/context-rules.ts';
import { partialObject, withoutNulls } from './partial.ts';
import type { OfKind, Types, Words } from './setting.ts';

export type Context = OfKind<'context', ContextRules | null, ContextRulesInput>;

export function context(words: Words<ContextRules | null>): Context {
	const { description } = words;
	return {
		...words,
		kind: 'context',
		blank: null,
		schema: (types) => types.Type.Object(membersOf(types), { description }),
		inputSchema: (types) => partialObject(types, membersOf(types), description),
		check: checkContext,
		format: formatContextRules,
		parse: parseContextRules,
	};
}

function membersOf({ Type, stringEnum }: Types) {
	return { page: Type.Boolean(), utm: Type.Boolean(), address: stringEnum(ADDRESS_PARTS), agent: Type.Boolean() };
}

/** Rules that keep nothing become `null`. */
function checkContext(sent: ContextRulesInput): ContextRules | null {
	const rules = { ...NO_CONTEXT, ...withoutNulls(sent) };
	const isEmpty = !(rules.page || rules.utm || rules.agent) && rules.address === 'none';
	return isEmpty ? null : rules;
}
