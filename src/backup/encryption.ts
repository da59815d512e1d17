/** Archives in the age format, encrypted and decrypted as they pass. Its library is loaded only where there are any. */

import { statSync } from 'node:fs';
import type { Decrypter } from 'age-encryption';
import { AppError } from '../errors.ts';
import { streamFile } from '../files/stream-file.ts';
import { UnusableArchive } from './manifest.ts';
import { createOutput, type Output } from './output.ts';
import { sha256Of } from './sha256.ts';

const MAGIC = 'age-encryption.org/';

const load = () => import('age-encryption');

/** Returns whether a file begins as one that is encrypted, or has lost that by its name. */
export async function isEncrypted(path: string): Promise<boolean> {
	return /\.age$/i.test(path) || (await Bun.file(path).slice(0, MAGIC.length).text()) === MAGIC;
}

/** @throws AppError if it is none */
async function encrypterFor(recipient: string) {
	const { Encrypter } = await load();
	const encrypter = new Encrypter();
	try {
		encrypter.addRecipient(recipient);
	} catch (cause) {
		const reason = (cause as Error).message;
		throw new AppError('VALIDATION_ERROR', `FORMSRV_BACKUP_RECIPIENT is no public key of age: ${reason}.`, { cause });
	}
	return encrypter;
}

/** A new file, encrypted to the recipient, and read back by the key that this file alone has, which is then forgotten. */
export async function createEncryptedOutput(path: string, recipient: string): Promise<Output> {
	const encrypter = await encrypterFor(recipient);
	let fileKey: Uint8Array | null = null;
	encrypter.addRecipient({
		wrapFileKey(key) {
			fileKey = key;
			return [];
		},
	});
	const file = createOutput(path);
	const plain = new Bun.CryptoHasher('sha256');
	const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
	const writer = writable.getWriter();
	let failure: unknown;
	let isClosed = false;

	async function pass(): Promise<void> {
		for await (const piece of await encrypter.encrypt(readable)) {
			if (isClosed) return;
			try {
				file.write(piece);
			} catch (error) {
				failure = error;
				throw error;
			}
		}
	}

	/** The reason why the file cannot be written counts, and not what it did to the streams. */
	function orFailure(error: unknown): never {
		throw failure ?? error;
	}

	const passed = pass();
	passed.catch(() => {});
	return {
		fd: file.fd,
		async write(bytes) {
			plain.update(bytes);
			await writer.write(bytes.slice()).catch(orFailure);
		},
		async sync() {
			await writer.close().catch(orFailure);
			await passed.catch(orFailure);
			await file.sync();
		},
		async verify() {
			const sha256 = await file.verify();
			const { Decrypter } = await load();
			const decrypter = new Decrypter();
			decrypter.addIdentity({ unwrapFileKey: () => fileKey });
			const back = await sha256Of(await decrypted(streamFile(path, { start: 0, end: statSync(path).size }), decrypter));
			fileKey?.fill(0);
			if (back !== plain.digest('hex')) throw new Error(`${path} does not decrypt to what was encrypted.`);
			return sha256;
		},
		close() {
			isClosed = true;
			file.close();
		},
	};
}

/** Reads the private keys in a file as age-keygen writes it. @throws AppError with a sentence that shows none of them */
export async function readIdentities(text: string, file: string): Promise<Decrypter> {
	const { Decrypter } = await load();
	const decrypter = new Decrypter();
	const lines = text
		.split('\n')
		.map((line) => line.trim())
		.filter((line) => line !== '' && !line.startsWith('#'));
	try {
		if (lines.length === 0) throw new Error('none');
		for (const line of lines) decrypter.addIdentity(line);
	} catch {
		throw new AppError('VALIDATION_ERROR', `${file} is no file of private keys as age-keygen writes it.`);
	}
	return decrypter;
}

/** @throws UnusableArchive, also while it is read */
export async function* decrypted(stream: ReadableStream<Uint8Array>, decrypter: Decrypter): AsyncGenerator<Uint8Array> {
	try {
		yield* await decrypter.decrypt(stream);
	} catch (cause) {
		const { message } = cause as Error;
		if (message.startsWith('no identity matched')) {
			throw new UnusableArchive('It is encrypted to another key than those of the identity file.');
		}
		throw new UnusableArchive(`It cannot be decrypted, as it is cut off or changed: ${message}.`);
	}
}
