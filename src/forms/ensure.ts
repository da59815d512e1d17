/** Sees to it that there is a form with a slug, without changing one that is there. */

import { AppError, invalidField } from '../errors.ts';
import type { Mode } from '../storage/tables.ts';
import type { CheckDisclosure, Forms } from './forms.ts';
import type { EnsuredForm, UpdateForm } from './schema.ts';

interface Wanted {
	mode: Mode;
	input: UpdateForm;
	checkDisclosure: CheckDisclosure;
}

/** @throws AppError as `forms.create` */
export async function ensureForm(
	forms: Pick<Forms, 'compare' | 'create'>,
	address: string,
	{ mode, input, checkDisclosure }: Wanted,
): Promise<EnsuredForm> {
	const slug = address.toLowerCase();
	const { slug: sent = slug, ...settings } = input;
	if (typeof sent !== 'string' || sent.toLowerCase() !== slug)
		throw invalidField('slug', 'INVALID_SLUG', 'slug must be that of the path, or be left out.');
	const compare = async () => {
		const found = await forms.compare(slug, mode, settings);
		return found && { ...found, isNew: false };
	};
	const found = await compare();
	if (found) return found;
	try {
		const form = await forms.create(mode, { ...settings, name: settings.name ?? slug, slug }, checkDisclosure);
		return { form, differs: [], isNew: true };
	} catch (error) {
		// Another request may have made it meanwhile.
		const made = error instanceof AppError && error.code === 'SLUG_TAKEN' ? await compare() : undefined;
		if (made) return made;
		throw error;
	}
}
