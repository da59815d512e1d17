/** The shape of an agent's tool: its words, its input, the operations of the API that it uses, and what it shows of their results. */

import { type Static, type TObject, type TProperties, Type } from '@sinclair/typebox';
import type { PublicUrls } from '../../config.ts';
import type { Permission } from '../../storage/tables.ts';

/** An operation of the API by method and path, such as `GET /api/forms/:id`. */
export type Operation = `${'GET' | 'POST' | 'PATCH' | 'PUT'} /api/${string}`;

interface Sent {
	/** The parameters of the path. */
	params?: Record<string, string>;
	query?: Record<string, unknown>;
	body?: object;
	/** In place of the key of the caller. */
	token?: string;
}

/** Calls one of the operations with the key of the caller. @throws AppError as the API says it */
type Call<Used extends Operation> = <Result>(operation: Used, sent?: Sent) => Promise<Result>;

export interface ToolContext<Used extends Operation = Operation> {
	call: Call<Used>;
	urls: PublicUrls;
}

export interface Tool {
	description: string;
	input: TObject;
	/** It is listed for keys with it; the operations check that again, as for any caller. */
	permission: Permission;
	/** Form-level keys have it too, for their own forms. */
	isForFormKeys?: true;
	uses: readonly Operation[];
	isTestOnly?: true;
	/** Its result has what visitors sent, and is marked as that. */
	isFromVisitors?: true;
	run(args: never, context: ToolContext): Promise<object>;
}

/** Infers the types of the input, and of what it may call. */
export function tool<const Used extends Operation, Input extends TProperties>({
	input,
	...rest
}: Omit<Tool, 'input' | 'uses' | 'run'> & {
	input: Input;
	uses: readonly Used[];
	run(args: Static<TObject<Input>>, context: ToolContext<Used>): Promise<object>;
}): Tool {
	return { ...rest, input: Type.Object(input, { additionalProperties: false }) as unknown as TObject };
}

/** The members with these names, as far as they are there. */
export function pick(value: object, names: readonly string[]): Record<string, unknown> {
	const members = value as Record<string, unknown>;
	return Object.fromEntries(names.flatMap((name) => (Object.hasOwn(members, name) ? [[name, members[name]]] : [])));
}
