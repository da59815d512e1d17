/** Pure: the rules for data kept of a submission beside its fields, and their text form. For browsers too. */

import { parseNamedParts } from './named-parts.ts';

export const ADDRESS_PARTS = ['none', 'network', 'full'] as const;
export type AddressPart = (typeof ADDRESS_PARTS)[number];

export interface ContextRules {
	/** The address of the page it came from, without its query. */
	page: boolean;
	/** The `utm_…` parameters of that page. */
	utm: boolean;
	/** How much of the client's address. */
	address: AddressPart;
	/** The name that the browser gives itself. */
	agent: boolean;
}

/** Rules as a client sends them: what is left out or `null` is off. */
export type ContextRulesInput = { [Part in keyof ContextRules]?: ContextRules[Part] | null };

export const NO_CONTEXT: ContextRules = { page: false, utm: false, address: 'none', agent: false };

/** Rules on one line, as in `page, utm, address:network, agent`. */
export function formatContextRules({ page, utm, address, agent }: ContextRules): string {
	const parts = [page && 'page', utm && 'utm', address !== 'none' && `address:${address}`, agent && 'agent'];
	return parts.filter(Boolean).join(', ');
}

/** Parses the line; a name alone is on. */
export function parseContextRules(line: string): ContextRulesInput {
	return parseNamedParts<string | true>(line, (name, rest) => (name === undefined ? [rest, true] : [name, rest]));
}
