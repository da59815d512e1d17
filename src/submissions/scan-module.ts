/** Where the storage finds the program of its thread of long reads. */

import { workerPath } from '../assets.ts';

export const SCANS = workerPath('submissions/scans.ts');
