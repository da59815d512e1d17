/** The rule for mail addresses that are thrown away after use: a list of their domains, or a file in its place. */

import { FILE_MAX, readBoundedText } from '../../config/bounded-file.ts';
import { remember } from '../../tasks/remember.ts';
import { systemReason } from '../../text/system-reason.ts';
import type { SpamReason } from '../verdict.ts';
import type * as List from './disposable-domains.ts';

const POINTS = 2;
/** Maximum number of addresses of a submission that are checked. */
const MAX_ADDRESSES = 3;
/** No domain is longer. */
const MAX_DOMAIN = 253;
/** How many domains are remembered. */
const MAX_KNOWN_DOMAINS = 1000;
const DOT = 0x2e;

/**
 * @param file One domain on each line; without a file it is the list in the program.
 * @throws Error with a sentence for the operator if the file cannot be read
 */
export function createDisposableCheck(file: string | null): (data: string) => SpamReason | null {
	const own = file === null ? undefined : readDomains(file);
	const isKnown = own ? (domain: string) => own.has(domain) : isInList;

	/** The entry of the list that covers a domain: itself, or one that it belongs to. Most addresses are of a few domains. */
	const entryOf = remember((domain): string | null => {
		for (let name = domain.toLowerCase(); ; ) {
			if (isKnown(name)) return name;
			const dot = name.indexOf('.');
			if (dot === -1) return null;
			name = name.slice(dot + 1);
		}
	}, MAX_KNOWN_DOMAINS);

	return (data) => {
		let at = data.indexOf('@');
		for (let i = 0; at !== -1 && i < MAX_ADDRESSES; i++) {
			const start = at + 1;
			let end = start;
			while (end - start <= MAX_DOMAIN && isDomainCharacter(data.charCodeAt(end))) end++;
			// The full stop of a sentence is not part of it.
			const last = data.charCodeAt(end - 1) === DOT ? end - 1 : end;
			const entry = last > start && last - start <= MAX_DOMAIN ? entryOf(data.slice(start, last)) : null;
			if (entry !== null) return { rule: 'disposable-mail', points: POINTS, detail: entry };
			at = data.indexOf('@', end);
		}
		return null;
	};
}

function isInList(domain: string): boolean {
	const { isDisposable } = require('./disposable-domains.ts') as typeof List;
	return isDisposable(domain);
}

function readDomains(file: string): ReadonlySet<string> {
	try {
		const lines = readBoundedText(file, FILE_MAX.content).split('\n');
		return new Set(lines.map((line) => line.replace(/#.*/, '').trim().toLowerCase()).filter(Boolean));
	} catch (error) {
		throw new Error(`FORMSRV_DISPOSABLE_DOMAINS names ${file}, which cannot be read: ${systemReason(error as Error)}.`);
	}
}

/** Returns whether a character may be in `a.example-1.com`; not a number past the end of a text. */
function isDomainCharacter(code: number): boolean {
	return (
		(code >= 0x61 && code <= 0x7a) ||
		(code >= 0x41 && code <= 0x5a) ||
		(code >= 0x30 && code <= 0x39) ||
		code === DOT ||
		code === 0x2d
	);
}
