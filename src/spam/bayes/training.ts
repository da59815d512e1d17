/**
 * Teaches the word models what the owner marked, behind the commit of the mark. What was learnt and that it was learnt are one
 * transaction, so a crash neither loses nor doubles a mark.
 */

import { and, asc, eq, getTableColumns, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm';
import type { Db, Storage } from '../../storage/contract.ts';
import { type SpamModelRow, spamMarks, spamModels } from '../../storage/spam-tables.ts';
import { forms, type Mode } from '../../storage/tables.ts';
import { lazy } from '../../tasks/lazy.ts';
import { withoutFileNames } from '../../text/json-string.ts';
import { addRow, createCounts, createLesson, encodeCounts, encodeLesson, type Lesson, learn } from './counts.ts';
import { createKeyedHash } from './keyed-hash.ts';
import { keyOf, type ModelKey, type WordModels } from './models.ts';
import { TOKENS_JSON_CHARACTERS, TOKENS_VERSION, tokensOf } from './tokens.ts';

/** Submissions learnt in one transaction. */
const BATCH = 100;
/** In `spamMarks.forAll`. */
const NOT_AT_ALL = 2;
/** No code unit of UTF-16 takes more bytes of UTF-8. */
const BYTES_PER_CHARACTER = 3;

const isOwn = eq(spamModels.version, TOKENS_VERSION);

interface Due {
	submissionId: number;
	formId: number;
	mode: Mode;
	isSpam: boolean;
	/** The kind as which it was learnt before. */
	learntSpam: boolean | null;
	forAll: number | null;
	learntForAll: number | null;
}

export type Training = ReturnType<typeof createTraining>;

export function createTraining(storage: Storage, models: Pick<WordModels, 'secret'>) {
	const { db, submissions } = storage;

	// Asked for every few seconds, mostly for nothing.
	const selectWhere = (isDue: SQL | undefined) => {
		const { submissionId, formId, isSpam, learntSpam, forAll, learntForAll } = spamMarks;
		return db
			.select({ submissionId, formId, mode: forms.mode, isSpam, learntSpam, forAll, learntForAll })
			.from(spamMarks)
			.innerJoin(forms, eq(forms.id, formId))
			.where(isDue)
			.orderBy(asc(submissionId))
			.limit(BATCH)
			.prepare();
	};
	// Each has an index with the same condition.
	const selectDue = lazy(() =>
		selectWhere(or(isNull(spamMarks.learntSpam), ne(spamMarks.learntSpam, spamMarks.isSpam))),
	);
	const selectDueForAll = lazy(() =>
		selectWhere(sql`coalesce(for_all, is_spam) <> coalesce(learnt_for_all, learnt_spam, 2)`),
	);
	const selectOld = lazy(() =>
		db.select({ id: spamModels.id }).from(spamModels).where(ne(spamModels.version, TOKENS_VERSION)).limit(1).prepare(),
	);

	async function lessonsOf(due: readonly Due[]): Promise<Map<ModelKey, Lesson>> {
		const hash = createKeyedHash(await models.secret());
		const lessons = new Map<ModelKey, Lesson>();
		const files = await submissions.files(due.map(({ submissionId }) => submissionId));
		for (const mark of due) {
			const { submissionId, formId, mode } = mark;
			const maxBytes = BYTES_PER_CHARACTER * TOKENS_JSON_CHARACTERS;
			const bytes = await submissions.text({ formId, id: submissionId }, maxBytes);
			const data = withoutFileNames(new TextDecoder().decode(bytes), files.get(submissionId) ?? []);
			const { buckets } = tokensOf(data, hash);
			for (const [key, before, after] of [
				[formId, Number(mark.learntSpam ?? NOT_AT_ALL), Number(mark.isSpam)],
				[mode, mark.learntForAll ?? Number(mark.learntSpam ?? NOT_AT_ALL), forAllOf(mark)],
			] as const) {
				const lesson = lessons.get(key) ?? createLesson();
				lessons.set(key, lesson);
				if (before !== NOT_AT_ALL) learn(lesson, buckets, { isSpam: before === 1, times: -1 });
				if (after !== NOT_AT_ALL) learn(lesson, buckets, { isSpam: after === 1, times: 1 });
			}
		}
		return lessons;
	}

	/** All of them or, if any was learnt or forgotten meanwhile, none. */
	function setLearnt(tx: Db, due: readonly Due[], lesson: number) {
		const alike = Map.groupBy(due, ({ learntSpam, learntForAll }) => `${learntSpam} ${learntForAll}`);
		const asRead = or(
			...[...alike.values()].map((marks) => {
				const { learntSpam, learntForAll } = marks[0] as Due;
				return and(
					isOneOf(marks),
					learntSpam === null ? isNull(spamMarks.learntSpam) : eq(spamMarks.learntSpam, learntSpam),
					learntForAll === null ? isNull(spamMarks.learntForAll) : eq(spamMarks.learntForAll, learntForAll),
				);
			}),
		);
		const isSpam = isOneOf(due.filter((mark) => mark.isSpam));
		const [asGenuine, asSpam] = [0, 1].map((value) => isOneOf(due.filter((mark) => forAllOf(mark) === value)));
		return (
			tx
				.update(spamMarks)
				.set({
					learntSpam: sql`case when ${isSpam} then 1 else 0 end`,
					learntForAll: sql`case when ${asGenuine} then 0 when ${asSpam} then 1 else ${sql.raw(`${NOT_AT_ALL}`)} end`,
					lesson,
				})
				// Each row by itself too: PostgreSQL looks at that again once it has waited for another that learns.
				.where(and(asRead, sql`(${tx.select({ count: sql`count(*)` }).from(spamMarks).where(asRead)}) = ${due.length}`))
		);
	}

	async function mergeRows(ids: number[]): Promise<void> {
		const isOne = inArray(spamModels.id, ids);
		const rows = await db.select().from(spamModels).where(isOne);
		const [first] = rows;
		if (!first || rows.length < ids.length) return;
		const sum = createCounts();
		for (const row of rows) addRow(sum, row);
		const merged = { ...first, id: storage.nextId(), spam: sum.spam, ham: sum.ham, counts: encodeCounts(sum) };
		const isEmpty = merged.counts === '' && merged.spam === 0 && merged.ham === 0;
		// Another process that merged some of them meanwhile has counted those.
		const areAll = (tx: Db) =>
			and(isOne, sql`(${tx.select({ count: sql`count(*)` }).from(spamModels).where(isOne)}) = ${ids.length}`);
		const copy = (tx: Db) => tx.select(valuesOf(merged)).from(spamModels).where(areAll(tx)).limit(1);
		await storage.batch((tx) => [
			// Holds the rows: who else merges any of them waits, and then finds that they are gone.
			tx.update(spamModels).set({ version: first.version }).where(isOne),
			...(isEmpty ? [] : [tx.insert(spamModels).select(copy(tx))]),
			tx.delete(spamModels).where(areAll(tx)),
		]);
	}

	/** Forgets what was learnt, but not the marks: of submissions that are still there it is learnt anew. Returns how many. */
	async function relearn(): Promise<number> {
		// Marks first: who learns holds them.
		const [marks] = await storage.batch((tx) => [
			tx.update(spamMarks).set({ learntSpam: null, learntForAll: null }).returning({ id: spamMarks.submissionId }),
			tx.delete(spamModels),
		]);
		return marks.length;
	}

	return {
		/** Learns some of the marks. Resolves to whether there may be more. */
		async learn(): Promise<boolean> {
			let due: Due[] = await selectDue().execute();
			if (due.length === 0) due = await selectDueForAll().execute();
			const [first] = due;
			if (!first) return false;
			const lessons = await lessonsOf(due);
			const rows = [...lessons].map(([key, lesson]) => ({
				id: storage.nextId(),
				version: TOKENS_VERSION,
				mode: typeof key === 'number' ? (due.find(({ formId }) => formId === key) as Due).mode : key,
				formId: typeof key === 'number' ? key : null,
				spam: lesson.spam,
				ham: lesson.ham,
				counts: encodeLesson(lesson),
			}));
			const lesson = storage.nextId();
			const wasSet = and(eq(spamMarks.submissionId, first.submissionId), eq(spamMarks.lesson, lesson));
			await storage.batch((tx) => [
				setLearnt(tx, due, lesson),
				...rows.map((row) => tx.insert(spamModels).select(tx.select(valuesOf(row)).from(spamMarks).where(wasSet))),
			]);
			return true;
		},
		/** Merges the rows of models that have more than `most`. Another build, whose rows differ, may learn beside this one. */
		async merge(most: number): Promise<void> {
			const { id, mode, formId } = spamModels;
			const models = Map.groupBy(await db.select({ id, mode, formId }).from(spamModels).where(isOwn), keyOf).values();
			for (const rows of models) if (rows.length > most) await mergeRows(rows.map((row) => row.id));
		},
		/** Learns all anew if the tokens of what was learnt were made in another way. */
		async renew(): Promise<void> {
			const [old] = await selectOld().execute();
			if (old) await relearn();
		},
		relearn,
		/** Forgets what was learnt, and all marks. Returns how many there were. */
		async forget(): Promise<number> {
			const [marks] = await storage.batch((tx) => [
				tx.delete(spamMarks).returning({ id: spamMarks.submissionId }),
				tx.delete(spamModels),
			]);
			return marks.length;
		},
	};
}

/** The kind as which the model of all forms learns a mark. */
const forAllOf = ({ forAll, isSpam }: Due): number => forAll ?? Number(isSpam);

const isOneOf = (marks: readonly Due[]): SQL =>
	inArray(
		spamMarks.submissionId,
		marks.map(({ submissionId }) => submissionId),
	);

/** The values of a row in place of columns, so that it is inserted only where there is a row to select. */
function valuesOf(row: SpamModelRow) {
	const columns = Object.keys(getTableColumns(spamModels)) as (keyof SpamModelRow)[];
	return Object.fromEntries(columns.map((name) => [name, sql`${row[name]}`.as(name)])) as never;
}
