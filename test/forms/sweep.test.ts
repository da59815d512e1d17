/** A server removes the rows of a deleted form at once. */

import { afterAll, test } from 'bun:test';
import { eq } from 'drizzle-orm';
import { decodeId } from '../../src/ids.ts';
import { forms } from '../../src/storage/tables.ts';
import { openTestServer } from '../server.ts';
import { until } from '../until.ts';

const server = await openTestServer();
afterAll(() => server.close());

/** Creates and deletes a form; resolves when it has no row any more. */
async function deleteForm(name: string): Promise<void> {
	const { body } = await server.call<{ id: string }>('POST /api/forms', { json: { name } });
	await server.call(`DELETE /api/forms/${body.id}`);
	const byId = eq(forms.id, decodeId(body.id) as number);
	await until(async () => (await server.app.storage.db.$count(forms, byId)) === 0);
}

test('the rows of a deleted form are gone long before the sweep of the next minute', async () => {
	// The first may be one of the sweep that follows a start.
	await deleteForm('One');
	await deleteForm('Two');
}, 30_000);
