/** A language in use: sentences with their values, numbers and moments as it writes them. */

import type { Catalogue, Key } from './catalogue.ts';

/** A moment as it is told in a time zone. */
export interface Moment {
	at: Date;
	timeZone: string;
}

/** A value in a sentence; a day as `2026-01-31`. */
export type Value =
	| string
	| number
	| Moment
	| { day: string }
	| { bytes: number }
	| { list: readonly Value[] }
	| { says: Sentence };

export type SentenceValues = Readonly<Record<string, Value>>;

/** A sentence in no language yet. */
export type Sentence = readonly [key: Key, values?: SentenceValues];

export interface Translation {
	/** Its code. */
	readonly language: string;
	readonly direction: 'ltr' | 'rtl';
	say(key: Key, values?: SentenceValues): string;
	/** A value by itself. */
	show(value: Value): string;
	/** Text of whatever direction, so that it does not take what is around it along. */
	apart(text: string): string;
}

const PLACEHOLDER = /\{([a-zA-Z]+)\}/g;
const MOMENT = {
	day: 'numeric',
	month: 'short',
	year: 'numeric',
	hour: '2-digit',
	minute: '2-digit',
	timeZoneName: 'short',
} as const;
const DAY = { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' } as const;
const SIZES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function createTranslation(language: string, catalogue: Catalogue): Translation {
	// Dates and lists as the rest of the program has them.
	const locale = language === 'en' ? 'en-GB' : language;
	const direction = directionOf(locale);
	const plurals = once(() => new Intl.PluralRules(locale));
	// Every digit that the owner typed is shown.
	const exact = once(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 20 }));
	const rough = once(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
	const days = once(() => new Intl.DateTimeFormat(locale, DAY));
	const lists = once(() => new Intl.ListFormat(locale));

	function size(bytes: number): string {
		let value = bytes;
		let step = 0;
		for (; value >= 1024 && step < SIZES.length - 1; step++) value /= 1024;
		return `${rough().format(value)} ${SIZES[step]}`;
	}

	function show(value: Value): string {
		if (typeof value === 'string') return value;
		if (typeof value === 'number') return exact().format(value);
		if ('at' in value) return value.at.toLocaleString(locale, { ...MOMENT, timeZone: value.timeZone });
		if ('day' in value) return showDay(value.day);
		if ('bytes' in value) return size(value.bytes);
		if ('list' in value) return lists().format(value.list.map(show));
		return say(...value.says);
	}

	function showDay(day: string): string {
		const at = Date.parse(`${day}T00:00:00Z`);
		return Number.isNaN(at) ? day : days().format(at);
	}

	const apart = (text: string) => (direction === 'rtl' ? `\u2068${text}\u2069` : text);

	function say(key: Key, values: SentenceValues = {}): string {
		const entry = catalogue[key];
		const text = typeof entry === 'string' ? entry : (entry[plurals().select(Number(values.count))] ?? entry.other);
		return text.replace(PLACEHOLDER, (_, name: string) => {
			const shown = show(values[name] ?? '');
			// Mail programs would take an invisible character behind a URL for a part of it.
			return name === 'url' ? shown : apart(shown);
		});
	}

	return { language, direction, say, show, apart };
}

/** Formats take time to make, and few sentences need each. */
function once<T>(make: () => T): () => T {
	let made: T | undefined;
	return () => {
		made ??= make();
		return made;
	};
}

function directionOf(locale: string): 'ltr' | 'rtl' {
	const { direction } = (
		new Intl.Locale(locale) as Intl.Locale & { getTextInfo(): { direction: string } }
	).getTextInfo();
	return direction === 'rtl' ? 'rtl' : 'ltr';
}
