/** Entry of the scan thread: the calls that read many submissions, besides those of the storage. */

import { serveScans } from '../storage/reader-thread.ts';
import { readChunk } from './export/chunk.ts';
import { suggestFields } from './suggestion/suggest-fields.ts';

serveScans({ readChunk, suggestFields });
