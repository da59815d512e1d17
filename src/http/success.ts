/** The answer of a request that has nothing to show but that it worked. */

import { Type } from '@sinclair/typebox';

export const Success = Type.Object({ success: Type.Literal(true) }, { $id: 'Success' });
