/** Exports as other services write them, of as many submissions as asked for, and what has to be stored of each. */

import type { SourceName } from '../src/submissions/import/sources.ts';

export interface Sent {
	/** The JSON text of its fields. */
	data: string;
	createdAt: string;
	isSpam: boolean;
}

export interface Vendor {
	from: SourceName;
	/** Other options of the command. */
	options: string[];
	/** The lines before the first submission. */
	head: string;
	lineOf(row: Row): string;
	sentOf(row: Row): Sent;
	/** The order of its lines: the place in time of the nth of so many. */
	order: (n: number, rows: number) => number;
}

/** A submission in the order of time. */
interface Row {
	i: number;
	at: number;
	email: string;
	/** May be empty. */
	message: string;
	isSpam: boolean;
}

const BEGIN = Date.UTC(2023, 0, 1);
const HOUR_MS = 3_600_000;
/** Three in two seconds: several have the same one. */
const SPACING_MS = 667;
const MESSAGES = [
	'Hello, I would like to know more about your work. When may I call you?',
	'She said "yes", and "no"; then\r\nshe left.',
	'Grüße aus Zürich, 日本語のテキスト, 🙂',
	'a\tb;c,d\n\n"',
	'=1+1',
	'ok',
	'',
	'007',
	`A longer one. ${'The quick brown fox jumps over the lazy dog. '.repeat(12)}`,
	'A tulip',
];

export function rowOf(i: number): Row {
	const message = MESSAGES[(i * 7) % MESSAGES.length] as string;
	return {
		i,
		at: BEGIN + Math.floor((i * SPACING_MS) / 1000) * 1000,
		email: `person${i}@example.com`,
		message: message && `${message}${i % 3 === 0 ? ` ${i}` : ''}`,
		isSpam: i % 20 === 7,
	};
}

const forwards = (n: number) => n;
const backwards = (n: number, rows: number) => rows - 1 - n;
/** Here and there, by a prime. */
const mixed = (n: number, rows: number) => (n * 61_843) % rows;

const quoted = (text: string) => (/[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
const iso = (at: number) => new Date(at).toISOString();
/** As `2023-01-02 03:04:05`, with what follows it. */
const spaced = (at: number, zone = '') => iso(at).slice(0, 19).replace('T', ' ') + zone;

const fieldsOf = ({ i, email, message }: Row) =>
	JSON.stringify({ Reference: `ref-${i}`, email, ...(message !== '' && { message }) });
const sentOf = (row: Row): Sent => ({ data: fieldsOf(row), createdAt: iso(row.at), isSpam: row.isSpam });

interface Sheet extends Pick<Vendor, 'from' | 'order'> {
	separator: string;
	end: string;
	names: string[];
	own(row: Row): string[];
	options?: string[];
	/** The name of a column that --map renames. */
	message?: string;
}

/** A CSV file: columns of the service, and those of the form. */
function sheet({ from, order, separator, end, names, own, options = [], message = 'message' }: Sheet): Vendor {
	const lineOf = (cells: readonly string[]) => `${cells.map(quoted).join(separator)}${end}`;
	return {
		...{ from, order, options, sentOf },
		head: `\ufeff${lineOf([...names, 'Reference', 'email', message])}`,
		lineOf: (row) => lineOf([...own(row), `ref-${row.i}`, row.email, row.message]),
	};
}

const ADDRESS = ['192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64), like others', 'https://example.com/contact'];

export const VENDORS: Record<string, Vendor> = {
	// Its digits stay, and there is no column for spam.
	formspree: {
		...{ from: 'formspree', options: [], head: '', order: backwards },
		lineOf: ({ i, at, email, message }) =>
			`{"_date":"${iso(at).slice(0, -1)}456","_id":${i},"Reference":"ref-${i}","email":"${email}","message":${JSON.stringify(message)},"n":${i}.50}\n`,
		sentOf: ({ i, at, email, message }) => ({
			data: `{"Reference":"ref-${i}","email":"${email}","message":${JSON.stringify(message)},"n":${i}.50}`,
			createdAt: iso(at),
			isSpam: false,
		}),
	},
	netlify: {
		...{ from: 'netlify', options: ['--map', 'ip='], head: '', order: backwards },
		lineOf: ({ i, at, email, message }) => {
			const data = { Reference: `ref-${i}`, email, message, ip: '192.0.2.1' };
			const beside = { number: i, email, summary: message.slice(0, 20), site_url: 'https://example.netlify.app' };
			return `${JSON.stringify({ id: `5f${i}`, ...beside, data, created_at: iso(at) })}\n`;
		},
		sentOf: ({ i, at, email, message }) => ({
			data: JSON.stringify({ Reference: `ref-${i}`, email, message }),
			createdAt: iso(at),
			isSpam: false,
		}),
	},
	basin: sheet({
		...{ from: 'basin', order: forwards, separator: ',', end: '\r\n' },
		names: ['ID', 'Created At', 'IP', 'User Agent', 'Referrer', 'Is Spam'],
		own: ({ i, at, isSpam }) => [`${i}`, spaced(at, ' UTC'), ...ADDRESS, `${isSpam}`],
	}),
	formcarry: sheet({
		...{ from: 'formcarry', order: mixed, separator: ';', end: '\n' },
		names: ['_id', 'createdAt', 'spam'],
		own: ({ i, at, isSpam }) => [`64b${i}`, iso(at), isSpam ? 'yes' : 'no'],
	}),
	web3forms: sheet({
		...{ from: 'web3forms', order: backwards, separator: '\t', end: '\r\n' },
		names: ['Submission Date', 'access_key', 'Spam'],
		own: ({ at, isSpam }) => [spaced(at + HOUR_MS, ' +0100'), 'secret', isSpam ? '1' : ''],
		options: ['--map', 'Your message=message'],
		message: 'Your message',
	}),
	getform: sheet({
		...{ from: 'getform', order: forwards, separator: ',', end: '\n' },
		names: ['Submitted on', 'IP Address', 'Junk'],
		own: ({ at, isSpam }) => [spaced(at), '192.0.2.1', isSpam ? 'spam' : ''],
		options: ['--time', 'Submitted on', '--spam', 'Junk'],
	}),
};

export async function writeExport(path: string, { head, lineOf, order }: Vendor, rows: number): Promise<void> {
	const file = Bun.file(path).writer({ highWaterMark: 2 ** 20 });
	file.write(head);
	for (let n = 0; n < rows; n++) {
		file.write(lineOf(rowOf(order(n, rows))));
		if (n % 10_000 === 0) await file.flush();
	}
	await file.end();
}
