/**
 * A number that moves with each change of settings: of forms, their slugs, webhooks and lists; not with what changes by itself. A
 * process uses it for a moment without asking again, and a change of settings gets its response after that moment: then all others know.
 */

import { settingsColumns } from '../settings-columns.ts';
import { rowsOf, type Sql } from './connection.ts';

/** For so long after it began to ask, a process uses the answer. */
const VALID_MS = 100;
/** Message of the database to the connection that changes settings. */
export const SETTINGS_CHANGED = 'formsrv: settings changed';

/** Counts by triggers, so that no write can forget it, whichever server makes it. May run again. */
export function watchSettingsSql(): string {
	const triggers = settingsColumns().map(
		({ table, columns }) => `create or replace trigger settings_changed after insert or delete or update of ${columns}
			on ${table} for each row execute function settings_changed();`,
	);
	return `
		create or replace function settings_changed() returns trigger language plpgsql set client_min_messages = notice as $$ begin
			update settings_version set number = number + 1; raise notice '${SETTINGS_CHANGED}'; return null; end $$;
		insert into settings_version select 0 where not exists (select from settings_version);
		${triggers.join('\n')}`;
}

/** @param areOthers Whether there are other servers. */
export function createSettingsVersion(sql: Sql, areOthers: () => Promise<boolean>) {
	let number = 0;
	/** When it was asked for. */
	let askedAt = Number.NEGATIVE_INFINITY;
	let asking: Promise<void> | undefined;
	let changedAt = Number.NEGATIVE_INFINITY;

	async function ask(): Promise<void> {
		const at = performance.now();
		const [row] = await rowsOf<[number]>(sql, 'select number from settings_version');
		number = Math.max(number, row?.[0] ?? 0);
		askedAt = at;
	}

	function askOnce(): Promise<void> {
		asking ??= ask().finally(() => {
			asking = undefined;
		});
		return asking;
	}

	async function askedAfter(at: number): Promise<number> {
		while (askedAt <= at) await askOnce();
		return number;
	}

	return {
		/** Available at once while requests keep coming; it is renewed once half of its time is over. */
		version(): number | Promise<number> {
			const at = performance.now();
			const age = at - askedAt;
			if (age >= VALID_MS) return askedAfter(at - VALID_MS);
			if (age >= VALID_MS / 2) askOnce().catch(() => {});
			return number;
		},
		/** To be called when the database says that a statement changed settings. */
		noteChange(): void {
			changedAt = performance.now();
		},
		/** Resolves when all servers know what this process changed since a moment. */
		async spread(since: number): Promise<void> {
			if (changedAt < since) return;
			askedAt = Number.NEGATIVE_INFINITY;
			try {
				await askedAfter(performance.now());
				if (!(await areOthers())) return;
			} catch {
				// The change is stored; the next request asks.
			}
			await Bun.sleep(VALID_MS);
		},
	};
}
