/** Entry of the scan thread: the calls that read many submissions, besides those of the storage. */

import { serveScans } from '../storage/scan.ts';
import { readChunk } from './export/chunk.ts';
import { suggestFields } from './suggestion/suggest-fields.ts';

/** By name, for an engine that reads without a thread. */
export const scans = { readChunk, suggestFields };

serveScans(scans);
