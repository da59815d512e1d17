/** Where the bytes of attached files lie, from the settings that say it. */

import { join, resolve } from 'node:path';
import type { Values } from './settings.ts';

/** Where the bytes of files lie: in the folder, or in a bucket; then they are in the folder until they are whole. */
export interface FilePlace {
	folder: string;
	s3: S3Place | null;
}

export interface S3Place {
	bucket: string;
	/** Without slashes at its ends; may be empty. */
	prefix: string;
	/** `null`: that of AWS in the region. */
	endpoint: string | null;
	region: string;
	accessKeyId: string;
	secretAccessKey: string;
	/** Token of temporary keys. */
	sessionToken?: string;
}

type FileSettings = Pick<
	Values,
	'filesUrl' | 's3Endpoint' | 's3Region' | 's3AccessKeyId' | 's3SecretAccessKey' | 's3SessionToken'
>;

/** @param beside The folder of those that are not elsewhere. */
export function placeOfFiles(settings: FileSettings, { cwd, beside }: { cwd: string; beside: string }): FilePlace {
	const { filesUrl: url, s3Endpoint, s3Region, s3AccessKeyId, s3SecretAccessKey, s3SessionToken } = settings;
	if (url === null) return { folder: join(beside, 'files'), s3: null };
	if ('folder' in url) return { folder: resolve(cwd, url.folder), s3: null };
	const credentials = {
		accessKeyId: s3AccessKeyId ?? '',
		secretAccessKey: s3SecretAccessKey ?? '',
		...(s3SessionToken !== null && { sessionToken: s3SessionToken }),
	};
	return { folder: join(beside, 'files'), s3: { ...url, endpoint: s3Endpoint, region: s3Region, ...credentials } };
}
