/** The links in mails to visitors: each token is signed for its purpose, and says nothing to those who read it. */

import { decodeId, encodeId } from '../../ids.ts';
import type { AddressKeys } from './address-keys.ts';

/** The key of the address is missing in links of earlier versions. */
const CONFIRM = /^(([0-9a-z]{1,20})\.([0-9a-z]{1,20})(?:\.([\w-]{43}))?)\.([\w-]{43})$/;
const STOP = /^([\w-]{43})\.([\w-]{43})$/;

interface PendingPlace {
	formId: number;
	submissionId: number;
	/** By which others of the visitor are found when the submission of the link is gone. */
	addressKey?: string | undefined;
}

export type VisitorLinks = ReturnType<typeof createVisitorLinks>;

/** They are checked by signature alone, so that nothing is looked up for a token that is not ours. */
export function createVisitorLinks(keys: AddressKeys) {
	return {
		/** For a pending submission. When it was made says how long it is valid, and that it is pending, that it was not used. */
		async confirmToken({ formId, submissionId }: PendingPlace, address: string): Promise<string> {
			const place = `${encodeId(formId)}.${encodeId(submissionId)}.${await keys.keyOf(address)}`;
			return `${place}.${await keys.sign(`confirm ${place}`)}`;
		},
		/** @returns `undefined` for a token that is not ours */
		async readConfirm(token: string): Promise<PendingPlace | undefined> {
			const [, place, form = '', submission = '', addressKey, signature = ''] = CONFIRM.exec(token) ?? [];
			const [formId, submissionId] = [decodeId(form), decodeId(submission)];
			if (formId === undefined || submissionId === undefined) return undefined;
			const isOurs = await keys.isSigned(`confirm ${place}`, signature);
			return isOurs ? { formId, submissionId, addressKey } : undefined;
		},
		/** It stays valid: a person may want no more mails whenever an old one is read. */
		async stopToken(address: string): Promise<string> {
			const key = await keys.keyOf(address);
			return `${key}.${await keys.sign(`stop ${key}`)}`;
		},
		/** @returns the key of the address that wants no more mails; `undefined` for a token that is not ours */
		async readStop(token: string): Promise<string | undefined> {
			const [, key, signature] = STOP.exec(token) ?? [];
			if (key === undefined || signature === undefined) return undefined;
			return (await keys.isSigned(`stop ${key}`, signature)) ? key : undefined;
		},
	};
}
