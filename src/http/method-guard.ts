/** Distinguishes a wrong method (405) from an unknown path (404). */

import { AppError } from '../errors.ts';

interface Route {
	method: string;
	path: string;
}

/** @returns a function from a path to its methods; empty for an unknown path */
export function createMethodTable(routes: readonly Route[]): (path: string) => string[] {
	const byPattern = new Map<string, { pattern: RegExp; methods: Set<string> }>();
	for (const { method, path } of routes) {
		const entry = byPattern.get(path) ?? { pattern: patternOf(path), methods: new Set<string>() };
		entry.methods.add(method);
		if (method === 'GET') entry.methods.add('HEAD');
		byPattern.set(path, entry);
	}
	const entries = [...byPattern.values()];
	return (path) => {
		const methods = entries.filter(({ pattern }) => pattern.test(path)).flatMap((entry) => [...entry.methods]);
		return [...new Set(methods)].sort();
	};
}

/** The error for a request that no route matches. */
export function noRoute(methods: readonly string[]): AppError {
	if (methods.length === 0) return new AppError('NOT_FOUND', 'There is nothing at this address.');
	const allow = methods.join(', ');
	return new AppError('METHOD_NOT_ALLOWED', `This address accepts ${allow}.`, { headers: { Allow: allow } });
}

function patternOf(path: string): RegExp {
	const source = path
		.split('/')
		.map((segment) =>
			segment.startsWith(':') ? '[^/]+' : segment.replace(/[.+^$()[\]{}|\\]/g, '\\$&').replace('*', '.*'),
		)
		.join('/');
	return new RegExp(`^${source}$`);
}
