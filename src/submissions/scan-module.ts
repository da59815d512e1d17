/** Where the engine of the storage finds the calls that read many submissions. */

import { workerPath } from '../assets.ts';
import type { ScanModule } from '../storage/scan.ts';

export const SCANS: ScanModule = { path: workerPath('submissions/scans.ts'), load: () => import('./scans.ts') };
