/** The kind of the setting by which submissions choose among addresses of the owner. On the command line it is JSON. */

import { checkConditions, conditionsSchema } from '../../form-values/conditions.ts';
import {
	ADDRESSES_MAX,
	type MailRoute,
	type MailRouteInput,
	ROUTED_MAX,
} from '../../form-values/notification-rules.ts';
import { parseMailboxes } from '../../text/email-address.ts';
import type { Check, OfKind, Types, Words } from './setting.ts';
import { checkMailboxes } from './text.ts';

export const ROUTES_MAX = 10;

export type Routes = OfKind<'routes', MailRoute[], MailRouteInput[]>;

export function routes(words: Words<MailRoute[]>): Routes {
	const { description } = words;
	const listOf = (types: Types, to: Parameters<Types['nullable']>[0]) =>
		types.Type.Array(
			types.Type.Object({ where: conditionsSchema(types, 'All of them hold.'), to }, { additionalProperties: false }),
			{ description },
		);
	return {
		...words,
		kind: 'routes',
		blank: [],
		schema: (types) => listOf(types, types.Type.String()),
		inputSchema: (types) =>
			listOf(types, types.Type.Union([types.Type.String(), types.Type.Array(types.Type.String())])),
		check: checkRoutes,
		format: (list) => list.map(({ where, to }) => `${where.map(({ field }) => field).join(', ')} → ${to}`).join('; '),
		parse: JSON.parse,
		isJson: true,
	};
}

function checkRoutes(sent: MailRouteInput[], { name, report }: Check): MailRoute[] | undefined {
	if (sent.length > ROUTES_MAX) return report('TOO_MANY', `${name} holds at most ${ROUTES_MAX} routes.`);
	const checked = sent.map(({ where, to }, i) => {
		const field = `${name}.${i}.where`;
		if (where.length === 0)
			report('INVALID_CONDITION', `${field} must have a condition: who gets every mail stands in notification.`, field);
		checkConditions(where, { field, report });
		const found = checkMailboxes(to, ADDRESSES_MAX);
		if (found === undefined) {
			const message = `${name}.${i}.to must be an e-mail address such as ada@example.com, or up to ${ADDRESSES_MAX} of them, written here: no submission adds any.`;
			report('INVALID_EMAIL', message, `${name}.${i}.to`);
		}
		return { where, to: found ?? '' };
	});
	const addresses = checked.flatMap(({ to }) => parseMailboxes(to, ADDRESSES_MAX) ?? []);
	if (addresses.length > ROUTED_MAX)
		return report('TOO_MANY', `${name} may have at most ${ROUTED_MAX} addresses in all.`);
	return checked;
}
