/** Errors of submissions in the language of the visitor, who reads them on a page or from a script. */

import type { AppError } from '../errors.ts';
import type { Translation } from '../languages/translation.ts';
import { spoken } from '../languages/translations.ts';
import { type SpokenError, titleOf } from './pages/pages.ts';

/** An error without a sentence for visitors is about a program: in English it says more. */
export function inLanguage({ code, message, details }: AppError, translation: Translation): SpokenError {
	const { says, fields = [] } = details;
	const without = translation.language === 'en' ? message : titleOf(translation, code);
	return {
		message: says === undefined ? without : spoken(translation, says),
		fields: fields.map(({ field, code, message, says }) => {
			return { field, code, message: spoken(translation, says ?? message) };
		}),
		isOwners: typeof says === 'string',
	};
}
