/** A server that speaks S3, in a process of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FilePlace, S3Place } from '../../src/config/file-place.ts';

export type S3Server = Awaited<ReturnType<typeof startS3Server>>;

export async function startS3Server() {
	const data = mkdtempSync(join(tmpdir(), 'formsrv-s3-'));
	const script = join(import.meta.dir, 's3-server-process.ts');
	const server = Bun.spawn([process.execPath, script, data], { stdout: 'pipe', stderr: 'inherit' });
	const { value } = await server.stdout.getReader().read();
	const endpoint = `http://127.0.0.1:${Number(new TextDecoder().decode(value))}`;
	let places = 0;

	/** A prefix of its own in the one bucket. */
	const newPlace = (folder: string): FilePlace & { s3: S3Place } => ({
		folder: join(folder, 'files'),
		s3: {
			bucket: 'forms',
			prefix: `place/${places++}`,
			endpoint,
			region: 'us-east-1',
			accessKeyId: 'S3RVER',
			secretAccessKey: 'S3RVER',
		},
	});

	return {
		endpoint,
		newPlace,
		newSettings: () => settingsOf(newPlace('')),
		async stop() {
			server.kill();
			await server.exited;
			rmSync(data, { recursive: true, force: true });
		},
	};
}

/** Returns the settings that lead a server to the place. */
export function settingsOf({ s3: { bucket, prefix, endpoint, accessKeyId, secretAccessKey } }: { s3: S3Place }) {
	return {
		FORMSRV_FILES_URL: `s3://${bucket}/${prefix}`,
		FORMSRV_S3_ENDPOINT: `${endpoint}`,
		FORMSRV_S3_ACCESS_KEY_ID: accessKeyId,
		FORMSRV_S3_SECRET_ACCESS_KEY: secretAccessKey,
	};
}
