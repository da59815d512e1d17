/** Filtered lists of deliveries are read by an index, however many deliveries there are: the plans of their statements. */

import { Database } from 'bun:sqlite';
import { expect, spyOn, test } from 'bun:test';
import { encodeId } from '../../src/ids.ts';
import type { Mode } from '../../src/storage/tables.ts';
import { useDeliveryFixtures } from './fixtures.ts';

const { openFixture } = useDeliveryFixtures();

const isOfDigests = (sql: string) => sql.includes('"submission_id" is null');

/** Returns the engine's plans for `deliveries` in each statement that is made meanwhile. */
async function plansOf(
	file: string,
	work: () => Promise<unknown>,
	of = (sql: string) => !isOfDigests(sql),
): Promise<string[]> {
	const prepare = spyOn(Database.prototype, 'prepare');
	const statements: string[] = [];
	try {
		await work();
		for (const [sql] of prepare.mock.calls)
			if (/(?:from|update) "deliveries"/.test(sql) && of(sql)) statements.push(sql);
	} finally {
		prepare.mockRestore();
	}
	using client = new Database(file, { readonly: true });
	return statements.flatMap((sql) =>
		client
			.prepare(`explain query plan ${sql}`)
			.values()
			.map((row) => String(row[3]))
			.filter((step) => /\bdeliveries\b|ORDER BY/.test(step)),
	);
}

const SOUGHT = {
	channel: 'deliveries_channel (channel=?)',
	state: 'deliveries_state (state=? AND channel=?)',
	form: 'deliveries_form (form_id=? AND channel=?)',
	formAndState: 'deliveries_form_state (form_id=? AND state=? AND channel=?)',
};

test.each([
	['everything', {}, undefined, SOUGHT.channel],
	['a channel', { channel: 'webhook' }, undefined, SOUGHT.channel],
	['a state', { state: 'failed' }, undefined, SOUGHT.state],
	['a state and a channel', { state: 'failed', channel: 'mail' }, 'live', SOUGHT.state],
	['a form', { form: true }, undefined, SOUGHT.form],
	['a form and a channel', { form: true, channel: 'mail' }, 'live', SOUGHT.form],
	['a form and a state', { form: true, state: 'failed' }, undefined, SOUGHT.formAndState],
	['a form, a state and a channel', { form: true, state: 'failed', channel: 'webhook' }, 'live', SOUGHT.formAndState],
	['a form of the test world', { form: true, state: 'sent' }, 'test', SOUGHT.formAndState],
] as const)('%s: sought by an index and read in its order', async (_, filter, mode, sought) => {
	const { dispatch, file, form, makeForm } = await openFixture({});
	const owner = mode === 'test' ? await makeForm({ mode }) : form;
	const { form: isOfForm, ...rest } = { form: false, ...filter };
	const subject = isOfForm ? { form: encodeId(owner.id) } : {};
	const readQuery = () => ({ ...rest, limit: 50, offset: 0 });
	const plans = await plansOf(file, () =>
		dispatch.deliveries.list(subject, { mode: mode as Mode | undefined, readQuery }),
	);
	expect(plans.length).toBeGreaterThan(1);
	// Those that are held are counted beside the list.
	const counted = isOfForm ? SOUGHT.formAndState : SOUGHT.state;
	const indexes = plans
		.filter((step) => step !== 'MERGE (UNION ALL)')
		.map((step) => step.replace(/^SEARCH deliveries USING (COVERING )?INDEX /, ''));
	expect(indexes).toContain(sought);
	expect(indexes.filter((index) => index !== sought && index !== counted)).toEqual([]);
});

test.each([{}, { state: 'failed' }, { channel: 'mail' }, { state: 'sent', channel: 'webhook' }] as const)(
	'the test world alone is sought by its forms: %j',
	async (filter) => {
		const { dispatch, file } = await openFixture({});
		const readQuery = () => ({ ...filter, limit: 50, offset: 0 });
		const plans = await plansOf(file, () => dispatch.deliveries.list({}, { mode: 'test', readQuery }));
		const searches = plans.filter((step) => step.includes('deliveries'));
		expect(searches.length).toBeGreaterThan(1);
		for (const step of searches) expect(step).toMatch(/^SEARCH deliveries .*\(form_id=\?/);
	},
);

test.each([undefined, 'live', 'test'] as const)(
	'forms above their mail cap are found by their digests: %p',
	async (mode) => {
		const { dispatch, file, form } = await openFixture({ form: { mode: mode ?? 'live' } });
		const readQuery = () => ({ limit: 50, offset: 0 });
		for (const subject of [{}, { form: encodeId(form.id) }]) {
			const plans = await plansOf(file, () => dispatch.deliveries.list(subject, { mode, readQuery }), isOfDigests);
			const searches = plans.filter((step) => step.includes('deliveries'));
			expect(searches).toEqual(['SEARCH deliveries USING INDEX deliveries_submission (submission_id=?)']);
		}
	},
);

test('what is tried again by the lot is read in order, and what was withheld of a submission by the submission', async () => {
	const { dispatch, file, form } = await openFixture({});
	const retried = await plansOf(file, () => dispatch.retries.retryMany({ state: 'failed' }));
	expect(retried).toContain('SEARCH deliveries USING INDEX deliveries_state (state=? AND channel=? AND id>?)');
	expect(retried.filter((step) => step.includes('ORDER BY'))).toEqual([]);
	const released = await plansOf(file, () => dispatch.retries.release(form.id, [1, 2, 3]));
	const searches = released.filter((step) => step.includes('deliveries'));
	expect(searches.length).toBeGreaterThan(1);
	for (const step of searches)
		expect(step).toBe('SEARCH deliveries USING INDEX deliveries_submission (submission_id=?)');
});

test('pages of both channels together are in one order, without gaps or doubles', async () => {
	const { dispatch, form, submit, storage, rows } = await openFixture({});
	const { webhooks } = await import('../../src/storage/tables.ts');
	const hook = { formId: form.id, url: 'http://127.0.0.1:9/', secret: 's', events: ['submission.created'] };
	await storage.batch((tx) => [tx.insert(webhooks).values({ ...hook, id: storage.nextId() })]);
	for (let i = 0; i < 7; i++) await submit();
	const listed: string[] = [];
	for (let offset = 0; ; offset += 4) {
		const query = () => ({ limit: 4, offset });
		const { deliveries, pagination } = await dispatch.deliveries.list({}, { readQuery: query });
		expect(pagination.total).toBe(14);
		listed.push(...deliveries.map(({ id }) => id));
		if (!pagination.hasMore) break;
	}
	expect(listed).toEqual((await rows()).map(({ id }) => encodeId(id)).reverse());
});
