/** Finds the form of a submission by its slug, or by a former one. On the hot path. */

import { and, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { Storage } from '../storage/contract.ts';
import { type FormRow, formerSlugs, forms } from '../storage/tables.ts';
import { lazy } from '../tasks/lazy.ts';

/** The form with a slug or former slug; `undefined` for an unknown or malformed one. */
export type FindBySlug = (slug: string) => FormRow | Promise<FormRow | undefined>;

export function createFindBySlug({ db, settingsVersion }: Pick<Storage, 'db' | 'settingsVersion'>): FindBySlug {
	const bySlug = new Map<string, FormRow>();
	/** Reads on their way: however many requests for a form arrive at once, it is read once. */
	const reads = new Map<string, Promise<FormRow | undefined>>();
	let cacheVersion = -1;
	const select = lazy(() => {
		const asked = sql.placeholder('slug');
		const former = db.select({ id: formerSlugs.formId }).from(formerSlugs).where(eq(formerSlugs.slug, asked));
		const bySlugOrFormer = or(eq(forms.slug, asked), inArray(forms.id, former));
		return db
			.select()
			.from(forms)
			.where(and(bySlugOrFormer, isNull(forms.deletedAt)))
			.prepare();
	});

	function findIn(version: number, slug: string): FormRow | Promise<FormRow | undefined> {
		if (version > cacheVersion) {
			bySlug.clear();
			reads.clear();
			cacheVersion = version;
		}
		return bySlug.get(slug) ?? readOnce(slug.toLowerCase());
	}

	function readOnce(asked: string): Promise<FormRow | undefined> {
		const underway = reads.get(asked);
		if (underway) return underway;
		const started = read(asked).finally(() => {
			if (reads.get(asked) === started) reads.delete(asked);
		});
		reads.set(asked, started);
		return started;
	}

	async function read(asked: string): Promise<FormRow | undefined> {
		const version = cacheVersion;
		const [found] = await select().execute({ slug: asked });
		// Cache existing forms only: untrusted clients can request any number of slugs.
		if (found && version === cacheVersion) bySlug.set(asked, found);
		return found;
	}

	return (slug) => {
		const version = settingsVersion();
		return typeof version === 'number' ? findIn(version, slug) : version.then((known) => findIn(known, slug));
	};
}
