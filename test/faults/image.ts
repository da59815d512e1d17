/** Looks at what a disk holds after a cut: rows, files, outbox, counts and lists against what clients were told. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Storage } from '../../src/storage/contract.ts';
import { roomOf } from '../../src/storage/file-room.ts';
import { databaseFileAt, openStorage } from '../../src/storage/open.ts';
import { deliveries, files, forms, removedFiles, submissions } from '../../src/storage/tables.ts';
import { SCANS } from '../../src/submissions/scan-module.ts';
import type { Random } from '../seeded.ts';
import { expectForm, scanRows } from '../storage/lists-scan.ts';
import { END, type FoundRow, type History, type Slug } from './history.ts';
import { sha256, WORDS } from './load.ts';

const DATABASE = 'formsrv.db';
/** Pages that are read of each list. */
const MOST_PAGES = 1;

export interface Finding {
	rows: FoundRow[];
	problems: string[];
}

interface Look {
	/** The position of the recording at which the power was cut. */
	at?: number;
	/** Compares lists, field names and searches as well. */
	random?: Random;
}

/** @param folder A data folder that no server uses, which may be changed. */
export async function checkImage(folder: string, history: History, { at = END, random }: Look = {}): Promise<Finding> {
	const file = join(folder, DATABASE);
	try {
		const storage = await openStorage(file, { scans: SCANS });
		let rows: FoundRow[];
		const problems: string[] = [];
		try {
			rows = await readRows(storage);
			problems.push(...history.problems(rows, at));
			problems.push(...(await filesOf(storage, join(folder, 'files'))));
			if (random) problems.push(...(await listsOf(storage, random)));
		} finally {
			await storage.close();
		}
		const database = databaseFileAt(file);
		problems.push(...((await database.inspect('full'))?.problems ?? []));
		for (const slug of (await database.compareCounts()).wrong) problems.push(`the counts of ${slug} are wrong`);
		return { rows, problems };
	} catch (error) {
		return { rows: [], problems: [`${(error as Error).message}`] };
	}
}

async function readRows({ db }: Storage): Promise<FoundRow[]> {
	const slugs = new Map(
		(await db.select({ id: forms.id, slug: forms.slug }).from(forms)).map(({ id, slug }) => [id, slug]),
	);
	const filesBy = Map.groupBy(await db.select().from(files).orderBy(files.id), ({ submissionId }) => submissionId);
	const deliveriesBy = Map.groupBy(await db.select({ of: deliveries.submissionId }).from(deliveries), ({ of }) => of);
	const found = await db.select().from(submissions).orderBy(submissions.id);
	return found.map(({ id, formId, data, isRead, isStarred, isSpam, isArchived }) => {
		const fields = JSON.parse(data);
		const own = filesBy.get(id) ?? [];
		return {
			...{ n: Number(fields.n), slug: slugs.get(formId) as Slug, fields },
			...{ isRead, isStarred, isSpam, isPending: false, isArchived },
			files: own.map(({ name, sha256: hash }) => ({ name, sha256: hash })),
			deliveries: deliveriesBy.get(id)?.length ?? 0,
		};
	});
}

/** Every row has its bytes; what has bytes and no row is waiting to be removed; the room is counted. */
async function filesOf({ db }: Storage, folder: string): Promise<string[]> {
	const problems: string[] = [];
	const rows = await db.select().from(files);
	const expected = new Set((await db.select({ key: removedFiles.key }).from(removedFiles)).map(({ key }) => key));
	const room = new Map<number, number>();
	for (const { key, formId, bytes, sha256: hash } of rows) {
		const path = join(folder, `${key}`.slice(0, 2), `${key}`);
		if (!existsSync(path)) problems.push(`file ${key} is lost`);
		else if (sha256(readFileSync(path)) !== hash) problems.push(`file ${key} has other bytes`);
		expected.add(`${key}`);
		room.set(formId, (room.get(formId) ?? 0) + roomOf(bytes));
	}
	const folders = existsSync(folder) ? readdirSync(folder).filter((name) => name.length === 2) : [];
	const objects = folders.flatMap((name) => readdirSync(join(folder, name)));
	for (const key of objects) if (!expected.has(key)) problems.push(`file ${key} belongs to nothing`);
	for (const { id, slug, fileBytes } of await db.select().from(forms)) {
		if (fileBytes !== (room.get(id) ?? 0))
			problems.push(`${slug} counts ${fileBytes} bytes instead of ${room.get(id)}`);
	}
	return problems;
}

/** Lists, counts, field names and searches are as a scan of the rows says, on some pages. */
async function listsOf(storage: Storage, random: Random): Promise<string[]> {
	await storage.search.catchUp();
	const all = await scanRows(storage);
	const comparison = { server: () => storage, random, mostPages: MOST_PAGES, words: WORDS };
	try {
		for (const { id } of await storage.db.select({ id: forms.id }).from(forms)) {
			await expectForm(
				comparison,
				id,
				all.filter(({ formId }) => formId === id),
			);
		}
		return [];
	} catch (error) {
		return [`lists or counts: ${(error as Error).message.slice(0, 500)}`];
	}
}
