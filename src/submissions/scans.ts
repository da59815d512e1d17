/** The scans of submissions: the program of the thread that does them, if there is one. */

import { serveScans } from '../storage/scan.ts';
import { readChunk } from './export/chunk.ts';

serveScans({ readChunk });
