/** The list of disposable mail domains in the program: long, and loaded by the first address. */

import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

export const disposableDomains = (): ReadonlySet<string> => disposableEmailBlocklistSet();
