/** Rejects query parameters that an operation does not have: a wrong name would silently change what is meant. */

import type { AnyElysia } from 'elysia';
import { AppError } from '../errors.ts';
import { queryOf } from './query-parameters.ts';

const MAX_NAMED = 20;

interface Described {
	parameters?: { in: string; name: string }[];
	responses?: object;
}

/**
 * @returns a check of a request to a route, by the parameters in the description of its operation. A page has no description, and a
 * public operation no response for it: these take any. It throws VALIDATION_ERROR that names each unknown one.
 */
export function createParameterCheck(router: AnyElysia) {
	let byRoute: ReadonlyMap<string, readonly string[]> | undefined;

	function declared(method: string, route: string): readonly string[] | undefined {
		byRoute ??= new Map(
			router.routes.flatMap(({ method, path, hooks }) => {
				const { parameters = [], responses = {} }: Described = hooks.detail ?? {};
				const names = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
				return '400' in responses ? [[`${method} ${path}`, names] as const] : [];
			}),
		);
		return byRoute.get(`${method === 'HEAD' ? 'GET' : method} ${route}`);
	}

	return (request: Request, route: string): void => {
		if (!request.url.includes('?')) return;
		const known = declared(request.method, route);
		if (!known) return;
		const unknown = [...new Set(queryOf(request).keys())].filter((name) => !known.includes(name)).slice(0, MAX_NAMED);
		const fields = unknown.map((field) => ({ field, code: 'UNKNOWN_PARAMETER', message: sentence(field, known) }));
		const [first] = fields;
		if (first) throw new AppError('VALIDATION_ERROR', first.message, { fields });
	};
}

function sentence(name: string, known: readonly string[]): string {
	const rest = known.length === 0 ? 'There are none.' : `Known are: ${known.join(', ')}.`;
	return `The parameter "${name}" is not known here. ${rest}`;
}
