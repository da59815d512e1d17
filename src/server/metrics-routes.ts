/** The state of the server for monitoring, in the text format of Prometheus. */

import { and, count, eq, min } from 'drizzle-orm';
import { Elysia } from 'elysia';
import type { App } from '../app.ts';
import { VERSION } from '../config/version.ts';
import { operation } from '../http/openapi.ts';
import type { Auth } from '../keys/auth.ts';
import { CONTENT_TYPE, type Family, type Sample, toText } from '../metrics/exposition.ts';
import { countDescriptors } from '../storage/descriptors.ts';
import { FINDING_NAMES } from '../storage/findings.ts';
import { sessions } from '../storage/session-tables.ts';
import { CHANNELS, deliveries } from '../storage/tables.ts';

/** The states of deliveries that an operator waits for or has to look at. */
const QUEUE_STATES = ['waiting', 'sending', 'held', 'failed'] as const;
/** A queue is counted up to here, so that a long one does not hold up submissions. */
const MAX_COUNTED = 100_000;

/** Both counts and the state at this moment. */
export async function metricsResponse(app: App): Promise<Response> {
	const families = [...app.metrics.families(), ...processFamilies(), ...(await stateFamilies(app))];
	return new Response(toText(families), { headers: { 'Content-Type': CONTENT_TYPE, 'Cache-Control': 'no-store' } });
}

export const metricsRoutes = (app: App, auth: Auth) =>
	new Elysia({ tags: ['Server'] }).use(auth).get('/metrics', () => metricsResponse(app), {
		access: { permission: 'metrics' },
		detail: operation('getMetrics', 'Read the metrics', {
			description: 'Counts, durations and gauges for Prometheus. No contents, addresses or slugs.',
			returns: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
		}),
	});

function gauge(name: string, help: string, samples: readonly Sample[]): Family {
	return { name, help, type: 'gauge', samples };
}

/** A gauge without labels; absent if the value is not known. */
function one(name: string, help: string, value: number | null | undefined): Family {
	return gauge(name, help, value === null || value === undefined || !Number.isFinite(value) ? [] : [{ value }]);
}

function processFamilies(): Family[] {
	const { user, system } = process.cpuUsage();
	const { used, limit } = countDescriptors();
	return [
		{
			name: 'process_cpu_seconds_total',
			help: 'Processor time of the process.',
			type: 'counter',
			samples: [{ value: (user + system) / 1e6 }],
		},
		one('process_resident_memory_bytes', 'Memory of the process.', process.memoryUsage.rss()),
		one('process_start_time_seconds', 'Start of the process since 1970.', Date.now() / 1000 - process.uptime()),
		one('process_open_fds', 'Open file descriptors.', Number.isFinite(limit) ? used : undefined),
		gauge('formsrv_build_info', 'The version of the server.', [{ labels: { version: VERSION }, value: 1 }]),
	];
}

async function stateFamilies({ backups, config, storage, streams, now }: App): Promise<Family[]> {
	const { sizeBytes, walBytes, disk } = await storage.disk();
	const [open] = await storage.db.select({ count: count() }).from(sessions);
	return [
		...(await queueFamilies(storage, now())),
		one('formsrv_sessions', 'Open sessions of the dashboard.', Number(open?.count)),
		one('formsrv_event_streams', 'Open streams of events.', streams.count()),
		one('formsrv_database_size_bytes', 'Size of the database.', sizeBytes),
		one('formsrv_database_wal_bytes', 'Size of the write-ahead log of SQLite.', disk && walBytes),
		one('formsrv_disk_free_bytes', 'Free space on the disk of the database.', disk?.free.bytes),
		one('formsrv_disk_free_inodes', 'How many more files the disk of the database can hold.', disk?.free.inodes),
		one('formsrv_files_bytes', 'Attached files.', await storage.submissions.fileBytes()),
		one('formsrv_files_quota_bytes', 'Maximum total size of attached files.', config.files.quota),
		one('formsrv_backup_age_seconds', 'Time since the last backup in FORMSRV_BACKUP_TO.', backups.report()?.ageSeconds),
		gauge(
			'formsrv_problem',
			'1 while the server has this problem; docs/operating.md explains each.',
			FINDING_NAMES.map((name) => ({ labels: { name }, value: Number(storage.findings.has(name)) })),
		),
	];
}

async function queueFamilies({ db, clock }: App['storage'], now: number): Promise<Family[]> {
	const timeline = clock.timeline();
	const queues = CHANNELS.flatMap((channel) => QUEUE_STATES.map((state) => ({ channel, state })));
	const lengths: Sample[] = [];
	const ages: Sample[] = [];
	for (const labels of queues) {
		const some = db
			.select({ id: deliveries.id })
			.from(deliveries)
			.where(and(eq(deliveries.state, labels.state), eq(deliveries.channel, labels.channel)))
			.orderBy(deliveries.id)
			.limit(MAX_COUNTED)
			.as('some');
		const [row] = await db.select({ count: count(), oldest: min(some.id) }).from(some);
		lengths.push({ labels, value: Number(row?.count ?? 0) });
		const oldest = row?.oldest ?? null;
		const age = oldest === null ? 0 : Math.max(0, now - timeline.millisOf(Number(oldest)));
		ages.push({ labels, value: age / 1000 });
	}
	return [
		gauge('formsrv_deliveries', `Deliveries by channel and state, counted up to ${MAX_COUNTED}.`, lengths),
		gauge(
			'formsrv_deliveries_oldest_seconds',
			'Age of the oldest delivery by channel and state; 0 if there is none.',
			ages,
		),
	];
}
