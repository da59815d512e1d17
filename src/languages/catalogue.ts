/** The type of the catalogues in `catalogues/`, one file for each language: the name of the file is its code. */

import type { catalogue } from './catalogues/en.ts';

type English = typeof catalogue;

export type Key = keyof English;

/** The forms that the language has for numbers, by `Intl.PluralRules`. */
export type Plural = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** A text holds `{name}` where a value goes; a plural is chosen by `{count}`. */
export type Catalogue = { readonly [K in Key]: English[K] extends string ? string : Plural };
