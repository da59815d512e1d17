/** Signed addresses of files, which need no key. Each ends with its time, with its file, or with the key that made it. */

import { decodeId, encodeId } from '../ids.ts';
import type { Storage } from '../storage/contract.ts';
import { createSigner } from '../storage/server-secret.ts';

export const FILE_PATH = '/files';

const SECRET_NAME = 'file_link_secret';
const HOLDER = /^(key|session|webhook)\.([0-9a-z]{1,11})$/;
const SECONDS = /^[1-9]\d{0,10}$/;

/** For whom a link was made, by the public id. */
export interface LinkHolder {
	kind: 'key' | 'session' | 'webhook';
	id: string;
}

export interface FileLink {
	/** Below the base address. */
	path: string;
	expiresAt: Date;
}

export type FileLinks = ReturnType<typeof createFileLinks>;

export function createFileLinks(storage: Pick<Storage, 'batch'>, now: () => number = Date.now) {
	const { sign, isSigned } = createSigner(storage, SECRET_NAME);
	const signedFor = (fileId: string, { holder, until }: { holder: string; until: string }) =>
		`file ${fileId} for ${holder} until ${until}`;

	return {
		async create(fileId: number, { holder, seconds }: { holder: LinkHolder; seconds: number }): Promise<FileLink> {
			const id = encodeId(fileId);
			const expires = Math.floor(now() / 1000) + seconds;
			const values = { holder: `${holder.kind}.${holder.id}`, until: String(expires) };
			const query = new URLSearchParams({
				for: values.holder,
				until: values.until,
				signature: await sign(signedFor(id, values)),
			});
			return { path: `${FILE_PATH}/${id}?${query}`, expiresAt: new Date(expires * 1000) };
		},
		/** Returns the holder and the file of a link; `undefined` if it was not made here, or has expired. */
		async read(fileId: string, params: URLSearchParams): Promise<{ fileId: number; holder: LinkHolder } | undefined> {
			const [holder = '', until = '', signature = ''] = ['for', 'until', 'signature'].map(
				(name) => params.get(name) ?? '',
			);
			const [, kind, holderId] = HOLDER.exec(holder) ?? [];
			const id = decodeId(fileId);
			if (id === undefined || kind === undefined || holderId === undefined || !SECONDS.test(until)) return undefined;
			if (!(await isSigned(signedFor(fileId, { holder, until }), signature))) return undefined;
			if (Number(until) * 1000 <= now()) return undefined;
			return { fileId: id, holder: { kind: kind as LinkHolder['kind'], id: holderId } };
		},
	};
}
