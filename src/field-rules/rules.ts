/** Pure: the owner's rules for the fields of a form. For browsers too. */

/** Members that a rule of each type may have besides its name, label and whether it is required. */
export const FIELD_TYPES = {
	text: { label: 'Text', members: ['minLength', 'maxLength', 'pattern'] },
	email: { label: 'E-mail', members: ['minLength', 'maxLength', 'pattern'] },
	url: { label: 'Web address', members: ['minLength', 'maxLength', 'pattern'] },
	tel: { label: 'Telephone', members: ['minLength', 'maxLength', 'pattern'] },
	number: { label: 'Number', members: ['min', 'max'] },
	date: { label: 'Date', members: ['min', 'max'] },
	select: { label: 'Choice', members: ['options'] },
	checkbox: { label: 'Checkbox', members: ['options'] },
	file: { label: 'File', members: [] },
} as const satisfies Record<string, { label: string; members: readonly RuleMember[] }>;

export type FieldType = keyof typeof FIELD_TYPES;

export const FIELD_TYPE_NAMES = Object.keys(FIELD_TYPES) as FieldType[];

/** A rule for one field. What is left out does not bind. */
export interface FieldRule {
	name: string;
	type: FieldType;
	/** For people; the name by default. */
	label?: string;
	/** For visitors, in place of every sentence of ours about this field. */
	message?: string;
	required?: boolean;
	/** In UTF-16 code units, as in HTML. */
	minLength?: number;
	maxLength?: number;
	/** A number, or a date as text. */
	min?: number | string;
	max?: number | string;
	/** The only values. */
	options?: string[];
	/** As HTML's attribute: the whole value must match. */
	pattern?: string;
	/** Only one submission may have a value; see `unique.ts`. */
	unique?: boolean;
	/** The treatment of a further one: `refuse` by default. */
	onDuplicate?: OnDuplicate;
}

export const RULE_MEMBERS = ['minLength', 'maxLength', 'min', 'max', 'options', 'pattern'] as const;
export type RuleMember = (typeof RULE_MEMBERS)[number];

/** The treatment of a submission whose value another one has. */
export const ON_DUPLICATE = {
	refuse: { label: 'Reject it, and say so' },
	keepFirst: { label: 'Keep the first, and show the usual success' },
} as const;

export type OnDuplicate = keyof typeof ON_DUPLICATE;

export const ON_DUPLICATE_NAMES = Object.keys(ON_DUPLICATE) as [OnDuplicate, ...OnDuplicate[]];

/** A ticked box and a file are no answer by which one person differs from another. */
export const mayBeUnique = ({ type }: Pick<FieldRule, 'type'>): boolean => type !== 'checkbox' && type !== 'file';

/** The treatment of fields that have no rule, if a form has any. */
export const UNKNOWN_FIELDS = {
	keep: { label: 'Keep them' },
	drop: { label: 'Drop them' },
	refuse: { label: 'Reject the submission' },
} as const;

export type UnknownFields = keyof typeof UNKNOWN_FIELDS;

export const UNKNOWN_FIELD_NAMES = Object.keys(UNKNOWN_FIELDS) as [UnknownFields, ...UnknownFields[]];

/** The most characters that are held against a pattern, because the time grows with them. */
export const PATTERN_TEXT_MAX = 2000;

/** Returns whether the values of a field are few or plain, so that no visitor can write into it whatever he likes. */
export const isClosed = ({ type, options }: FieldRule): boolean =>
	type === 'number' || type === 'date' || (type === 'select' && options !== undefined);

export const labelOf = ({ label, name }: FieldRule): string => label ?? name;

/** Returns the labels that people read in place of field names: those of the rules, with the name where two would read alike. */
export function labelsOf(rules: readonly FieldRule[] | null | undefined): (name: string) => string {
	const labels = new Map(rules?.map((rule) => [rule.name, rule.label?.trim() || rule.name]));
	const times = new Map<string, number>();
	for (const label of labels.values()) times.set(label, (times.get(label) ?? 0) + 1);
	return (name) => {
		const label = labels.get(name);
		const isTaken = (times.get(label ?? name) ?? 0) > (label === undefined ? 0 : 1);
		return isTaken ? `${label ?? name} (${name})` : (label ?? name);
	};
}

/** Returns whether its input has several lines. */
export function isLong({ name, type, maxLength, pattern }: FieldRule): boolean {
	const most = maxLength ?? (MESSAGE_NAME.test(name) ? Number.POSITIVE_INFINITY : 0);
	return type === 'text' && pattern === undefined && most > LINE;
}

const LINE = 200;
const MESSAGE_NAME = /message|comment|question|description|details|note|text|nachricht|anfrage/i;
const DATE = /^(\d{4,6})-(\d{2})-(\d{2})$/;
const NUMBER = /^-?(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?$/;

/** A text that sorts as its date does; `undefined` if it is not a date by HTML's rules. */
export function dateOrder(text: string): string | undefined {
	const [, year = '', month, day] = DATE.exec(text) ?? [];
	const daysInMonth = new Date(Date.UTC(2000 + (Number(year) % 400), Number(month), 0)).getUTCDate();
	const isDate = Number(year) > 0 && Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1;
	return isDate && Number(day) <= daysInMonth ? `${year.padStart(6, '0')}-${month}-${day}` : undefined;
}

/** A number as HTML writes it; `undefined` for everything else. */
export function numberOf(text: string): number | undefined {
	const number = NUMBER.test(text) ? Number(text) : Number.NaN;
	return Number.isFinite(number) ? number : undefined;
}
