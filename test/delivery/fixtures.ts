/** Delivery fixtures and mail servers for tests of the outbox, closed after each test. */

import { afterEach } from 'bun:test';
import type { DeliveryRow } from '../../src/storage/tables.ts';
import { newDatabase } from '../engine.ts';
import { tempFolder } from '../temp-folder.ts';
import { type DeliveryFixture, type DeliveryFixtureOptions, openDeliveryFixture } from './delivery-fixture.ts';
import { type ScriptedSmtp, startScriptedSmtp } from './scripted-smtp.ts';

/** Call this at the top of a test file. */
export function useDeliveryFixtures() {
	const closers: (() => Promise<unknown>)[] = [];

	afterEach(async () => {
		for (const close of closers.splice(0).reverse()) await close();
	});

	return {
		async server(script: ScriptedSmtp['script'] = {}, port = 0): Promise<ScriptedSmtp> {
			const peer = await startScriptedSmtp(script, port);
			closers.push(peer.close);
			return peer;
		},
		async openFixture(options: Partial<DeliveryFixtureOptions>): Promise<DeliveryFixture> {
			const opened = await openDeliveryFixture({ file: options.file ?? (await newDatabase(tempFolder())), ...options });
			closers.push(opened.close);
			return opened;
		},
	};
}

/** Returns a check for `count` deliveries, all in this state. */
export const allIn = (state: DeliveryRow['state'], count: number) => (rows: DeliveryRow[]) =>
	rows.length === count && rows.every((row) => row.state === state);

export const messageIds = (peer: ScriptedSmtp) =>
	peer.accepted.map(({ content }) => /^Message-ID: <(.*)>/m.exec(content)?.[1] ?? '');
