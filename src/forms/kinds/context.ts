/** The kind of the setting for data kept beside the fields; `null` stands for none. */

import {
	ADDRESS_PARTS,
	type ContextRules,
	type ContextRulesInput,
	formatContextRules,
	NO_CONTEXT,
	parseContextRules,
} from '../../form-values/context-rules.ts';
import type { Setting, Words } from './setting.ts';
import { withoutNulls } from './without-nulls.ts';

export interface Context extends Setting<ContextRules | null, ContextRulesInput> {
	kind: 'context';
}

export function context(words: Words<ContextRules | null>): Context {
	const { description } = words;
	return {
		...words,
		kind: 'context',
		blank: null,
		schema: (types) => types.Type.Object(membersOf(types), { description }),
		inputSchema(types) {
			const members = Object.entries(membersOf(types)).map(([name, schema]) => [name, types.nullable(schema)]);
			return types.Type.Partial(types.Type.Object(Object.fromEntries(members)), {
				description,
				additionalProperties: false,
			});
		},
		check: checkContext,
		format: formatContextRules,
		parse: parseContextRules,
	};
}

function membersOf({ Type, stringEnum }: Parameters<Context['schema']>[0]) {
	return { page: Type.Boolean(), utm: Type.Boolean(), address: stringEnum(ADDRESS_PARTS), agent: Type.Boolean() };
}

/** Rules that keep nothing become `null`. */
function checkContext(sent: ContextRulesInput): ContextRules | null {
	const rules = { ...NO_CONTEXT, ...withoutNulls(sent) };
	const isEmpty = !(rules.page || rules.utm || rules.agent) && rules.address === 'none';
	return isEmpty ? null : rules;
}
