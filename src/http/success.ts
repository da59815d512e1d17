/** The response of an operation without a result. */

import { Type } from '@sinclair/typebox';

export const Success = Type.Object({ success: Type.Literal(true) }, { $id: 'Success' });
