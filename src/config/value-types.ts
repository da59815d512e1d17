/** Parses the text of a setting: one type per kind of setting, each with a sentence on what it expects. */

import { isAddress, isAddressOrRange } from '../network/address-ranges.ts';
import { formatSize, parseSize } from '../text/byte-sizes.ts';
import { parseSender } from '../text/email-address.ts';
import { isTimeZone } from '../text/time-zone.ts';
import { isPostgres, parsePostgresUrl, withoutPassword } from './postgres-url.ts';
import { parseSmtpUrl } from './smtp-url.ts';
import { reject } from './value-problem.ts';

export interface ValueType<T> {
	/** The placeholder of the value in the help, such as `number`. */
	placeholder: string;
	/** The words of which a value is one, if there are only a few. */
	choices?: readonly string[];
	/** The allowed values, for the documentation, such as `0–65535`. */
	values: string;
	/** @throws ValueProblem */
	parse(text: string): T;
	/** The text shown for a valid value that may hold a secret; an invalid one is not shown then. */
	shown?(text: string): string;
}

const PROXY_WORDS = ['private', 'none'];
const DATABASE_URL =
	'must name a SQLite file, such as sqlite:/var/lib/formsrv/formsrv.db, or PostgreSQL, as postgres://user@host/database';

export function integer(min: number, max: number): ValueType<number> {
	return numeric(/^\d{1,15}$/, { min, max, expected: `must be a whole number from ${min} to ${max}` });
}

export function decimal(min: number, max: number): ValueType<number> {
	const expected = `must be a number from ${min} to ${max}, such as ${max / 2}`;
	return numeric(/^\d{1,9}(\.\d{1,9})?$/, { min, max, expected });
}

function numeric(
	pattern: RegExp,
	{ min, max, expected }: { min: number; max: number; expected: string },
): ValueType<number> {
	return {
		placeholder: 'number',
		values: `${min}–${max}`,
		parse(text) {
			const value = pattern.test(text) ? Number(text) : Number.NaN;
			return value >= min && value <= max ? value : reject(expected);
		},
	};
}

/** A size in bytes: `500000`, `500kB` (thousands) or `1MiB` (powers of 1024). */
export function size(min: number, max: number): ValueType<number> {
	const expected = `must be a size from ${formatSize(min)} to ${formatSize(max)}, such as 500kB, 1MiB or plain bytes`;
	return {
		placeholder: 'size',
		values: `${formatSize(min)}–${formatSize(max)}`,
		parse(text) {
			const bytes = parseSize(text) ?? Number.NaN;
			return bytes >= min && bytes <= max ? bytes : reject(expected);
		},
	};
}

const HOUR_MS = 3_600_000;
const HOURS: Record<string, number> = { h: 1, d: 24 };

/** Hours or days, such as `6h` or `1d`, in milliseconds. */
export function duration(minHours: number, maxDays: number): ValueType<number> {
	return {
		placeholder: 'time',
		values: `${minHours}h–${maxDays}d`,
		parse(text) {
			const [, count, unit = ''] = /^(\d{1,4})([hd])$/i.exec(text) ?? [];
			const hours = Number(count) * (HOURS[unit.toLowerCase()] ?? Number.NaN);
			if (hours >= minHours && hours <= maxDays * 24) return hours * HOUR_MS;
			return reject(`must be a time from ${minHours}h to ${maxDays}d, in hours or days, such as 6h or 1d`);
		},
	};
}

export const boolean: ValueType<boolean> = {
	placeholder: 'true|false',
	values: 'true, false',
	parse(text) {
		if (/^(?:true|yes|on|1)$/i.test(text)) return true;
		return /^(?:false|no|off|0)$/i.test(text) ? false : reject('must be true or false');
	},
};

export function oneOf<const T extends string>(choices: readonly T[]): ValueType<T> {
	return {
		placeholder: 'choice',
		choices,
		values: choices.join(', '),
		parse: (text) => choices.find((choice) => choice === text) ?? reject(`must be one of ${choices.join(', ')}`),
	};
}

/** A host name or an IP address to listen on; brackets around IPv6 are removed. */
export const host: ValueType<string> = {
	placeholder: 'address',
	values: 'IP address or host name',
	parse(text) {
		const bare = withoutBrackets(text);
		if (isHost(bare)) return bare;
		return reject('must be an IP address or a host name, such as 127.0.0.1, :: or localhost');
	},
};

/** An address to listen on, as `127.0.0.1:9464` or `[::1]:9464`. */
export const listenAddress: ValueType<{ host: string; port: number }> = {
	placeholder: 'host:port',
	values: 'IP address or host name, and a port',
	parse(text) {
		const [, name = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
		const isWhole = isHost(withoutBrackets(name)) && (!name.includes(':') || name.startsWith('['));
		if (isWhole && Number(port) <= 65_535) return { host: withoutBrackets(name), port: Number(port) };
		return reject('must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464');
	},
};

function withoutBrackets(text: string): string {
	return text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
}

function isHost(text: string): boolean {
	// No address of a page has a zone, as in fe80::1%eth0. A name that ends in a number is an IPv4 address, or wrong.
	return (
		(isAddress(text) && !text.includes('%')) ||
		(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text) && !/(^|\.)\d+$/.test(text))
	);
}

export const origin: ValueType<string> = {
	placeholder: 'url',
	values: 'http(s) address without a path',
	parse(text) {
		const url = httpUrl(text);
		if (url && url.pathname === '/' && !url.search && !url.hash) return url.origin;
		return reject('must be an address with http:// or https:// and no path, such as https://forms.example.com');
	},
};

export const webAddress: ValueType<string> = {
	placeholder: 'url',
	values: 'http(s) address',
	parse: (text) => httpUrl(text)?.href ?? reject('must be an address with http:// or https://'),
};

/** As {@link webAddress}, with https unless it is of this machine: what it says decides who is let in. */
export const issuer: ValueType<string> = {
	placeholder: 'url',
	values: 'https address',
	parse(text) {
		const url = httpUrl(text);
		const isSafe = url && (url.protocol === 'https:' || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname));
		if (isSafe && !url.search && !url.hash && !url.pathname.includes('/.well-known/')) return text;
		return reject(
			'must be an address with https:// and without /.well-known/…, such as https://login.example.com/realms/main',
		);
	},
};

function httpUrl(text: string): URL | undefined {
	const url = URL.parse(text);
	if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return undefined;
	return url;
}

export const path: ValueType<string> = {
	placeholder: 'path',
	values: 'path',
	parse: checkedPath,
};

/** Parts that only a shell replaces: the data would be in a folder of that very name, in each working directory another one. */
const FOR_SHELLS = /^~(?:\/|$)|^\$\{?\w|^(["']).*\1$|[\0\r\n]/s;

function checkedPath(text: string): string {
	return FOR_SHELLS.test(text) ? reject('must be a path, written out: without quotes, ~/ or $NAME') : text;
}

type DatabaseUrl = { file: string } | { postgres: string };

/** An SQLite file as `sqlite:PATH` or `file:PATH`, or the address of a PostgreSQL database. */
export const databaseUrl: ValueType<DatabaseUrl> = {
	placeholder: 'url',
	values: 'postgres://…, sqlite:PATH, file:PATH',
	parse(text) {
		if (isPostgres(text)) {
			parsePostgresUrl(text);
			return { postgres: text };
		}
		const [, slashes = '', rest = ''] = /^(?:sqlite|file):(\/\/)?(.+)$/is.exec(text) ?? [];
		const isPath = rest !== '' && !/[?#\0]/.test(rest) && !rest.startsWith(':');
		if (!isPath || (slashes && !rest.startsWith('/'))) return reject(DATABASE_URL);
		return { file: slashes && /^file:/i.test(text) ? localPath(text) : checkedPath(rest) };
	},
	shown: withoutPassword,
};

function localPath(fileUrl: string): string {
	try {
		return Bun.fileURLToPath(fileUrl);
	} catch {
		return reject(DATABASE_URL);
	}
}

export type FilesUrl = { folder: string } | { bucket: string; prefix: string };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters of a part of the prefix that S3 accepts everywhere. */
const PREFIX_PART = /^(?!\.\.?$)[\w!.*'()-]+$/;

/** A folder, as a path or `file:PATH`, or `s3://bucket/prefix`. */
export const filesUrl: ValueType<FilesUrl> = {
	placeholder: 'url',
	values: 'path of a folder, s3://bucket/prefix',
	parse(text) {
		if (/^s3:/i.test(text)) return bucketOf(text);
		const [, folder] = /^(?:file:(?:\/\/(?=\/))?)?(.+)$/is.exec(text) ?? [];
		if (folder !== undefined && !/\0|^[a-z][a-z0-9+.-]+:/i.test(folder)) return { folder: checkedPath(folder) };
		return reject('must be the path of a folder or s3://bucket/prefix');
	},
};

function bucketOf(text: string): FilesUrl {
	const [, bucket = '', path = ''] = /^s3:\/\/([^/?#]*)\/?(.*)$/i.exec(text) ?? [];
	const parts = path.replace(/\/$/, '').split('/');
	const isPath = path === '' || parts.every((part) => PREFIX_PART.test(part));
	if (BUCKET.test(bucket) && isPath) return { bucket, prefix: path === '' ? '' : parts.join('/') };
	return reject(
		"must be like s3://bucket/prefix, with a bucket of S3's rules and a prefix of letters, digits and -_.!*'(); " +
			'keys have settings of their own',
	);
}

export type ScannerAddress = { socket: string } | { host: string; port: number };

const CLAMD_PORT = 3310;

/** `clamd:/path/to/socket` or `clamd:tcp://host:port`. */
export const scanner: ValueType<ScannerAddress> = {
	placeholder: 'address',
	values: 'clamd:/path/to/socket, clamd:tcp://host:port',
	parse(text) {
		const [, path] = /^clamd:(\/[^\0]+)$/.exec(text) ?? [];
		if (path !== undefined && !path.startsWith('//')) return { socket: path };
		const [, address] = /^clamd:(tcp:\/\/.+)$/.exec(text) ?? [];
		const url = address === undefined ? null : URL.parse(address);
		if (url?.hostname && ['', '/'].includes(url.pathname) && !url.username && !url.search && !url.hash) {
			return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port) || CLAMD_PORT };
		}
		return reject('must be like clamd:/run/clamav/clamd.ctl or clamd:tcp://127.0.0.1:3310');
	},
};

/** Addresses and ranges (CIDR), separated by commas. */
export const addressRanges: ValueType<string[]> = {
	placeholder: 'addresses',
	values: 'addresses and ranges, separated by commas',
	parse(text) {
		const entries = listEntries(text);
		if (entries.length > 0 && entries.every(isAddressOrRange)) return entries;
		return reject('must be addresses or ranges separated by commas, such as 10.0.0.0/8,192.168.1.5,fd00::/8');
	},
};

/** `private`, `none`, or {@link addressRanges}; one text, entries separated by commas. */
export const trustedProxies: ValueType<string> = {
	placeholder: 'addresses',
	values: 'private, none, or addresses and ranges separated by commas',
	parse(text) {
		if (PROXY_WORDS.includes(text.toLowerCase())) return text.toLowerCase();
		const entries = listEntries(text);
		if (entries.length > 0 && entries.every(isAddressOrRange)) return entries.join(',');
		return reject('must be private, none, or addresses and ranges separated by commas, such as 10.0.0.0/8,192.168.1.5');
	},
};

function listEntries(text: string): string[] {
	return text
		.split(',')
		.map((entry) => entry.trim())
		.filter((entry) => entry !== '');
}

/** The address of a mail server, as {@link parseSmtpUrl} reads it. */
export const smtpUrl: ValueType<string> = {
	placeholder: 'url',
	values: 'smtp:// or smtps:// address',
	parse(text) {
		parseSmtpUrl(text);
		return text;
	},
};

/** One mail address, bare or as `Name <address>`. */
export const mailbox: ValueType<string> = {
	placeholder: 'address',
	values: 'one mail address',
	parse: (text) =>
		text.length <= 320 && parseSender(text)
			? text
			: reject('must be one mail address, such as Forms <forms@example.com>'),
};

export const word: ValueType<string> = {
	placeholder: 'name',
	values: 'letters, digits, hyphens',
	parse: (text) => (/^[a-z0-9-]{1,64}$/i.test(text) ? text : reject('must be letters, digits and hyphens')),
};

/** Without `_`, which proxies drop or take for `-`. */
export const headerName: ValueType<string> = {
	placeholder: 'header',
	values: 'name of a header',
	parse: (text) =>
		/^[a-z][a-z0-9-]{0,63}$/i.test(text) ? text : reject('must be the name of a header, such as Remote-Email'),
};

/** As the provider gave it. */
export const clientId: ValueType<string> = {
	placeholder: 'text',
	values: 'text',
	parse: (text) =>
		/^[\x21-\x7e]{1,255}$/.test(text)
			? text
			: reject('must be one word of up to 255 characters, as the provider shows it'),
};

export const timeZone: ValueType<string> = {
	placeholder: 'zone',
	values: 'time zone such as Europe/Berlin',
	parse: (text) => (isTimeZone(text) ? text : reject('must be the name of a time zone, such as Europe/Berlin, or UTC')),
};

export const secretText: ValueType<string> = {
	placeholder: 'secret',
	values: 'text',
	parse: (text) => (/[\p{Cc}\s]/u.test(text) ? reject('must be one word without blanks or control characters') : text),
};

/** A public key of age, a line of text; whether its checksum is right shows when it is used. */
export const recipient: ValueType<string> = {
	placeholder: 'key',
	values: 'public key of age',
	parse: (text) =>
		/^age1[a-z0-9]{20,4000}$/.test(text) ? text : reject('must be a public key of age, as age-keygen prints it: age1…'),
	// An invalid one may be the private key.
	shown: (text) => text,
};
