/** The delivery part of the program for tests: a real database, a form, and a mail server that the test chooses. */

import { dirname, join } from 'node:path';
import { eq } from 'drizzle-orm';
import { createDispatch, type DispatchOptions } from '../../src/delivery/dispatch.ts';
import { openFolder } from '../../src/files/folder.ts';
import { createFileLinks } from '../../src/files/links.ts';
import { createUniqueValues } from '../../src/forms/unique-values.ts';
import { createLog } from '../../src/log/log.ts';
import type { PostResult } from '../../src/network/guarded-request.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type DeliveryRow, deliveries, type FormRow, forms } from '../../src/storage/tables.ts';
import { createByteBudget } from '../../src/tasks/byte-budget.ts';
import { until } from '../until.ts';

/** The real timing, scaled down for tests. */
export const SHORT_TIMING = { leaseMs: 600, tickMs: 50, probeWait: { firstMs: 120, longestMs: 240 } };

const GRACE_MS = 1000;

export interface DeliveryFixtureOptions extends Partial<DispatchOptions> {
	/** The database; created if it does not exist. */
	file: string;
	form?: Partial<typeof forms.$inferInsert>;
}

export type DeliveryFixture = Awaited<ReturnType<typeof openDeliveryFixture>>;

export async function openDeliveryFixture({ file, form: formValues, ...options }: DeliveryFixtureOptions) {
	const now = options.now ?? Date.now;
	const storage = await openStorage(file, { now });
	const logLines: string[] = [];
	const log = createLog({
		level: 'debug',
		format: 'json',
		write: (lines) => logLines.push(Buffer.from(lines).toString()),
	});
	const dispatch = createDispatch(storage, {
		smtpUrl: null,
		mailFrom: 'Forms <forms@example.com>',
		mailPerHour: 1_000_000,
		baseUrl: 'https://forms.example.com',
		post: async (): Promise<PostResult> => ({
			hasResponse: false,
			failure: 'connection',
			message: 'no network in tests',
		}),
		budget: createByteBudget(64 * 2 ** 20),
		store: openFolder(join(dirname(file), 'files')),
		links: createFileLinks(storage, now),
		uniqueValuesOf: createUniqueValues(storage).valuesOf,
		timing: SHORT_TIMING,
		log,
		now,
		...options,
	});
	let stopSending: ((graceMs: number) => Promise<void>) | undefined;

	async function makeForm(values: Partial<typeof forms.$inferInsert> = {}): Promise<FormRow> {
		const id = storage.nextId();
		const row = {
			id,
			mode: 'live' as const,
			slug: `s${id}`,
			name: 'Contact',
			notificationEmail: 'owner@example.com',
			...values,
		};
		await storage.batch((tx) => [tx.insert(forms).values(row)]);
		const [form] = await storage.db.select().from(forms).where(eq(forms.id, id));
		return form as FormRow;
	}

	const [known] = await storage.db.select().from(forms).limit(1);
	const form = known ?? (await makeForm(formValues));

	const rows = (): Promise<DeliveryRow[]> => storage.db.select().from(deliveries).orderBy(deliveries.id);

	return {
		file,
		storage,
		dispatch,
		form,
		makeForm,
		logLines,
		/** Stores a submission as the intake does. Returns its id. */
		async submit(fields: object = { a: 'b' }, { to = form, spamReason = null as string | null } = {}): Promise<number> {
			const { field = '' } = to.confirm ?? {};
			const address = to.confirm && spamReason === null ? (fields as Record<string, string>)[field] : undefined;
			const submission = {
				formId: to.id,
				data: JSON.stringify(fields),
				names: Object.keys(fields),
				spamReason,
				subject: null,
				replyTo: null,
				addressKey: address === undefined ? null : await dispatch.visitors.keys.keyOf(address),
			};
			const rows = await dispatch.outbox.plan({ form: to, submission });
			const id = await storage.submissions.append({ ...submission, deliveries: rows });
			dispatch.outbox.wake(rows);
			return id;
		},
		async start(): Promise<void> {
			stopSending = dispatch.start('https://forms.example.com');
		},
		rows,
		/** Waits until the rows match. */
		until: (isSo: (rows: DeliveryRow[]) => boolean) => until(rows, { isSo, everyMs: 10 }),
		async stop(graceMs = GRACE_MS): Promise<void> {
			await stopSending?.(graceMs);
			stopSending = undefined;
		},
		async close(): Promise<void> {
			await stopSending?.(GRACE_MS);
			await storage.close();
		},
	};
}
