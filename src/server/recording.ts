/**
 * Every request that changes something leaves one entry in the audit log, named like its operation, with no word from its route; so
 * does a read whose description says `recorded`. The entry is written in the first transaction of the request, to which further ones add.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { AnyElysia } from 'elysia';
import type { App } from '../app.ts';
import { shownAddress } from '../http/client-address.ts';
import { ACTING, IS_PART, RECORDED } from '../http/openapi.ts';
import { queryOf } from '../http/query-parameters.ts';
import { type Caller, type RequestInfo, requestInfo } from '../http/request-info.ts';
import { describedRoutes } from '../http/router.ts';
import { decodeId, encodeId } from '../ids.ts';
import { type Action, type Actor, createAction, recordAction } from '../storage/audit/action.ts';
import { clipped } from '../storage/audit/changes.ts';
import { HOUR_MS } from '../tasks/durations.ts';
import { remember } from '../tasks/remember.ts';

interface Scope {
	action?: Action | undefined;
}

interface Operation {
	name: string;
	isRead: boolean;
	isPart: boolean | undefined;
	/** The parameters that an entry about a read names. */
	recorded: readonly string[] | undefined;
}

/** Actions of several requests that are remembered. */
const SHARED_MOST = 100;

type Params = Readonly<Record<string, string>>;

/** Transactions find the action of their request here. */
const scopes = new AsyncLocalStorage<Scope>();

export type Recording = ReturnType<typeof createRecording>;

export function createRecording({ actions, audit, config, storage }: App) {
	actions.findBy(() => scopes.getStore()?.action);
	const sharedAction = createSharedActions();

	/** A command has none. */
	const addressOf = ({ operator, clientAddress }: RequestInfo) =>
		operator ? {} : { address: shownAddress(config.logAddress, clientAddress) };

	/** Begins the action of a request. To be called once it is authorized. */
	function begin(request: Request, { name, isPart, ...place }: Operation & { route: string; params: Params }): void {
		const scope = scopes.getStore();
		const info = requestInfo(request);
		if (!scope) return;
		const { caller } = info;
		const about = objectOf(place);
		if (isPart && caller && about.formId !== undefined) {
			const hour = Math.floor(Date.now() / HOUR_MS);
			scope.action = sharedAction(JSON.stringify([hour, name, actorOf(caller), addressOf(info), about.formId]));
		} else
			scope.action = createAction({
				name,
				actor: () => info.caller && actorOf(info.caller),
				...addressOf(info),
				...about,
			});
	}

	function countRead(
		request: Request,
		{ operation, ...place }: { operation: Operation; route: string; params: Params },
	) {
		const info = requestInfo(request);
		const { caller } = info;
		const query = queryOf(request);
		const facts = (operation.recorded ?? []).flatMap((name) => {
			const value = query.get(name);
			return value === null ? [] : [[name, clipped(value)] as const];
		});
		audit.countRead({
			action: operation.name,
			...(caller ? actorOf(caller) : { actor: 'link', mode: 'live' as const }),
			...addressOf(info),
			...objectOf(place),
			...info.about,
			facts: Object.fromEntries(facts),
		});
	}

	return {
		/** Runs what responds to a request. Work that it starts and that goes on behind the response is not of its action. */
		run: <T>(respond: () => Promise<T> | T): Promise<T> => {
			const scope: Scope = {};
			return scopes.run(scope, async () => {
				try {
					return await respond();
				} finally {
					scope.action = undefined;
				}
			});
		},
		/** Adds its hooks to a router that has no routes yet. */
		watch(router: AnyElysia): void {
			const find = findOperations(router);
			router.onBeforeHandle(({ request, route, params }) => {
				const operation = find(request.method, route);
				if (operation && !operation.isRead) begin(request, { ...operation, route, params });
			});
			router.onAfterHandle(async ({ request, route, params, responseValue }) => {
				const operation = find(request.method, route);
				if (!operation) return;
				if (!operation.isRead) {
					if (!scopes.getStore()?.action?.isStored()) await recordAction(storage);
				} else if (operation.recorded && !isRejected(responseValue)) countRead(request, { operation, route, params });
			});
		},
	};
}

/** The one action of all requests with the same key. */
const createSharedActions = () =>
	remember((key) => {
		const [, name, actor, address, formId] = JSON.parse(key);
		return createAction({ name, actor: () => actor, ...address, formId, object: `form:${encodeId(formId)}` });
	}, SHARED_MOST);

/** A response that lets nothing out, such as 304. */
function isRejected(response: unknown): boolean {
	return response instanceof Response && !response.ok;
}

interface Marked {
	operationId?: string;
	[RECORDED]?: readonly string[];
	[IS_PART]?: boolean;
	[ACTING]?: boolean;
}

/** Finds the operation of a request by method and route. */
function findOperations(router: AnyElysia) {
	const find = describedRoutes<Marked>(router);
	return (method: string, route: string): Operation | undefined => {
		const { operationId: name, [RECORDED]: recorded, [IS_PART]: isPart, [ACTING]: isActing } = find(method, route);
		return name === undefined ? undefined : { name, recorded, isPart, isRead: method === 'GET' && !isActing };
	};
}

function actorOf({ keyId, sessionId, mode = 'live', operator }: Caller): Actor {
	if (operator !== undefined) return { actor: `user:${operator}`, mode };
	return { actor: keyId === null ? `session:${sessionId}` : `key:${keyId}`, session: sessionId, mode };
}

/** The object that a route names by its last parameter, called as what precedes that: `/forms/:id` is a form. */
function objectOf({ route, params }: { route: string; params: Params }): { formId?: number; object?: string } {
	const named = [...route.matchAll(/\/([a-z]+)\/:(\w+)/g)].map(([, kind = '', name = '']) => ({
		kind: kind.replace(/ies$/, 'y').replace(/s$/, ''),
		id: decodeId(params[name] ?? ''),
		text: params[name],
	}));
	const last = named.at(-1);
	const form = named.find(({ kind }) => kind === 'form')?.id;
	return {
		...(form !== undefined && { formId: form }),
		...(last?.id !== undefined && { object: `${last.kind}:${last.text}` }),
	};
}
