/** Entry of the scan thread: the calls that read many submissions, besides those of the storage. */

import { suggestFields } from '../forms/suggestion/suggest-fields.ts';
import { findUniqueValues } from '../forms/unique-values.ts';
import { serveScans } from '../storage/reader-thread.ts';
import { findPeople } from './erasures/find-people.ts';
import { readChunk } from './export/chunk.ts';

serveScans({ findPeople, findUniqueValues, readChunk, suggestFields });
