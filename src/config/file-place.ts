/** Where the bytes of attached files and backups lie, from the settings that say it. */

import { join, resolve } from 'node:path';
import type { SettingValues } from './settings.ts';
import type { FilesUrl } from './value-types.ts';

/** Where the bytes of files lie: in the folder, or in a bucket; then they are in the folder until they are whole. */
export interface FilePlace {
	folder: string;
	s3: S3Place | null;
}

export interface S3Place extends S3Service {
	bucket: string;
	/** Without slashes at its ends; may be empty. */
	prefix: string;
}

/** One for files and backups. */
export interface S3Service {
	/** `null`: that of AWS in the region. */
	endpoint: string | null;
	region: string;
	accessKeyId: string;
	secretAccessKey: string;
	/** Token of temporary keys. */
	sessionToken?: string;
}

/** Where backups go: one of both. */
export type BackupTo = { folder: string } | { s3: S3Place };

/** @param beside The folder of those that are not elsewhere. */
export function placeOfFiles(
	url: FilesUrl | null,
	{ s3, cwd, beside }: { s3: S3Service; cwd: string; beside: string },
): FilePlace {
	if (url === null) return { folder: join(beside, 'files'), s3: null };
	if ('folder' in url) return { folder: resolve(cwd, url.folder), s3: null };
	return { folder: join(beside, 'files'), s3: { ...url, ...s3 } };
}

export function placeOfBackups(url: FilesUrl, { s3, cwd }: { s3: S3Service; cwd: string }): BackupTo {
	return 'folder' in url ? { folder: resolve(cwd, url.folder) } : { s3: { ...url, ...s3 } };
}

/** Keys that are missing are empty. */
export function s3ServiceOf(values: SettingValues): S3Service {
	return {
		endpoint: values.s3Endpoint,
		region: values.s3Region,
		accessKeyId: values.s3AccessKeyId ?? '',
		secretAccessKey: values.s3SecretAccessKey ?? '',
		...(values.s3SessionToken !== null && { sessionToken: values.s3SessionToken }),
	};
}
