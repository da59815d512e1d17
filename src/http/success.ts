/** The response of an operation without a result. */

import { Type } from '@sinclair/typebox';
import { jsonResponse } from './openapi.ts';

const Success = Type.Object({ success: Type.Literal(true) }, { $id: 'Success' });

/** Waits for the operation, and responds with success. */
export async function succeed(operation: Promise<unknown>) {
	await operation;
	return { success: true as const };
}

/** Describes the response of {@link succeed}. */
export function successResponse(description: string) {
	return jsonResponse(description, { schema: Success, example: { success: true } });
}
