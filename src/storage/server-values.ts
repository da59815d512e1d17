/** Values that a server notes in its database, by their names. */

import { eq } from 'drizzle-orm';
import type { Db, Storage } from './contract.ts';
import { serverValues } from './tables.ts';

export interface ServerValue {
	name: string;
	value: string;
}

/** The alerts that were sent: one for each cause, which begins so while the cause is there. */
export const ALERT_PREFIX = 'alert:';
export const OPEN_ALERT = 'open ';

/** With it addresses are hashed for the suppression list, and the links in mails to visitors signed. */
export const VISITOR_SECRET = 'visitor_mail_secret';

/** `undefined` if it was not noted. */
export async function readServerValue({ db }: Pick<Storage, 'db'>, name: string): Promise<string | undefined> {
	const [row] = await db.select().from(serverValues).where(eq(serverValues.name, name));
	return row?.value;
}

/** The statement that notes a value in place of the one before. */
export function setServerValue(tx: Db, name: string, value: string) {
	return tx
		.insert(serverValues)
		.values({ name, value })
		.onConflictDoUpdate({ target: serverValues.name, set: { value } });
}
