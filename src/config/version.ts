/** The version of this program, as its package states it. */

import { version } from '../../package.json' with { type: 'json' };

export const VERSION: string = version;
