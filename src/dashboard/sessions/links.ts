/** Links that sign a person in once: setup links with all rights, and invitations with a key. */

import { and, between, type Column, eq, not } from 'drizzle-orm';
import { rowId } from '../../ids.ts';
import type { Keys } from '../../keys/keys.ts';
import { unauthorized } from '../../keys/permissions.ts';
import { hashToken } from '../../keys/token.ts';
import type { Db, Storage } from '../../storage/contract.ts';
import { invitations, setupLinks } from '../../storage/session-tables.ts';
import type { Mode } from '../../storage/tables.ts';
import { DAY_MS, HOUR_MS } from '../../tasks/durations.ts';

const LINK_LIFETIME_MS = HOUR_MS;
/** A mail with it may be read days later. */
export const INVITATION_DAYS = 7;
const INVITATION_LIFETIME_MS = INVITATION_DAYS * DAY_MS;
const TOKEN_BYTES = 32;

export function createLinks(storage: Pick<Storage, 'batch'>, { keys, now }: { keys: Keys; now: () => number }) {
	/** A link that ends later than it could is from before the clock was set back. */
	const within = (expiresAt: Column, lifetimeMs: number) => between(expiresAt, now() + 1, now() + lifetimeMs);
	const isLink = () => within(setupLinks.expiresAt, LINK_LIFETIME_MS);
	const isInvitation = () => within(invitations.expiresAt, INVITATION_LIFETIME_MS);

	return {
		/** @returns the token of a new setup link */
		async create(): Promise<string> {
			const token = randomToken();
			const row = { hash: hashToken(token), expiresAt: now() + LINK_LIFETIME_MS };
			await storage.batch((tx) => [tx.insert(setupLinks).values(row)]);
			return token;
		},
		/** @returns the token of a new invitation to use a key */
		async invite(keyId: string): Promise<string> {
			const token = randomToken();
			const row = { hash: hashToken(token), keyId: rowId(keyId), expiresAt: now() + INVITATION_LIFETIME_MS };
			await storage.batch((tx) => [tx.insert(invitations).values(row)]);
			return token;
		},
		/** Uses a link up, and returns the mode and the key of the session that it opens. @throws AppError UNAUTHORIZED */
		async use(token: string): Promise<{ mode: Mode; keyId: number | null }> {
			const hash = hashToken(token);
			const [[link], [invitation]] = await storage.batch(
				(tx) => [
					tx
						.delete(setupLinks)
						.where(and(eq(setupLinks.hash, hash), isLink()))
						.returning(),
					tx
						.delete(invitations)
						.where(and(eq(invitations.hash, hash), isInvitation()))
						.returning(),
				],
				null,
			);
			if (link) return { mode: 'live', keyId: null };
			const principal = invitation && (await keys.principalWithId(invitation.keyId));
			if (!principal) throw unauthorized('invalid');
			return { mode: principal.mode, keyId: invitation.keyId };
		},
		revoke: (tx: Db) => [tx.delete(setupLinks), tx.delete(invitations)],
		expire: (tx: Db) => [tx.delete(setupLinks).where(not(isLink())), tx.delete(invitations).where(not(isInvitation()))],
	};
}

export function randomToken(): string {
	return Buffer.from(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES))).toString('base64url');
}
