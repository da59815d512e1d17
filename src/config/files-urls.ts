/** Parses the settings of attached files: where their bytes lie, and the virus scanner. */

import { reject } from './value-problem.ts';
import type { ValueType } from './value-types.ts';

export type FilesUrl = { folder: string } | { bucket: string; prefix: string };

/** Where a scanner listens. */
export type ScannerAddress = { socket: string } | { host: string; port: number };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
/** Characters of a part of the prefix that S3 accepts everywhere. */
const PREFIX_PART = /^(?!\.\.?$)[\w!.*'()-]+$/;
const CLAMD_PORT = 3310;

/** A folder, as a path or `file:PATH`, or `s3://bucket/prefix`. */
export const filesUrl: ValueType<FilesUrl> = {
	placeholder: 'url',
	values: 'path of a folder, s3://bucket/prefix',
	parse(text) {
		if (/^s3:/i.test(text)) return bucketOf(text);
		const [, folder] = /^(?:file:(?:\/\/(?=\/))?)?(.+)$/is.exec(text) ?? [];
		if (folder !== undefined && !/\0|^[a-z][a-z0-9+.-]+:/i.test(folder)) return { folder };
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
