/** All catalogues in one module, which is loaded with the first sentence that is not English. */

import { catalogues } from './from-folder.ts' with { type: 'macro' };

export const all = () => catalogues();
