/** The inputs of a form as its snippets have them: with the attributes that say the same as its field rules. */

import { FIELD_TYPES, type FieldRule, isLong, labelOf } from '../../../../field-rules/rules.ts';
import { sampleOf } from '../../../../field-rules/sample.ts';
import type { FileRules } from '../../../../form-values/file-rules.ts';
import * as words from '../../sentences/more-words.ts';

/** For a form without rules. */
const USUAL: readonly FieldRule[] = [
	{ name: 'name', type: 'text', label: words.snippets.yourName, required: true },
	{ name: 'email', type: 'email', label: words.snippets.yourMail, required: true },
	{ name: 'message', type: 'text', label: words.snippets.message, required: true },
];

type Attributes = Record<string, string | number | boolean | undefined>;

interface Control {
	tag: 'input' | 'select' | 'textarea';
	attributes: Attributes;
	options?: readonly string[] | undefined;
}

/** How a kind of snippet writes what stands in a page. */
interface Dialect {
	attributes: Record<string, string>;
	number: (value: number) => string;
	/** The end of an element without content. */
	empty: (tag: Control['tag']) => string;
	labelled: (control: Control, named: { label: string; id: string }) => string[];
}

export interface Fields {
	fields?: readonly FieldRule[] | null;
	/** Rules for file inputs; without them there are none besides those of the field rules. */
	files?: FileRules | null;
	/** Returns whether a field is stored, that is, does not control the submission. */
	isStored?: (name: string) => boolean;
}

const AUTOCOMPLETE: Record<string, string> = { name: 'name', email: 'email', tel: 'tel', phone: 'tel' };
const LINES = 5;
/** Blanks that an option would send otherwise if its text were its value. */
const CHANGED_BLANKS = /^ | $| {2}|[\t\n\f\r]/;

export function rulesOf({ fields, files, isStored = () => true }: Fields): readonly FieldRule[] {
	const rules = (fields ?? USUAL).filter(({ name }) => isStored(name));
	const hasInput = rules.some(({ type }) => type === 'file');
	return files && !hasInput ? [...rules, { name: 'files', type: 'file', label: words.snippets.files }] : rules;
}

export function hasFiles(form: Fields): boolean {
	return rulesOf(form).some(({ type }) => type === 'file');
}

const HTML: Dialect = {
	attributes: {},
	number: (value) => `"${value}"`,
	empty: (tag) => (tag === 'input' ? '>' : `></${tag}>`),
	labelled(control, { label, id }) {
		const lines = [
			`<label for="${id}">${text(label)}</label>`,
			write({ ...control, attributes: { id, ...control.attributes } }, HTML),
		];
		return isTick(control) ? lines.reverse() : lines;
	},
};

const JSX: Dialect = {
	attributes: { autocomplete: 'autoComplete', minlength: 'minLength', maxlength: 'maxLength' },
	number: (value) => `{${value}}`,
	empty: () => ' />',
	labelled(control, { label }) {
		const parts = [text(label), write(control, JSX)];
		return [`<label>${(isTick(control) ? parts.reverse() : parts).join(' ')}</label>`];
	},
};

const isTick = ({ attributes }: Control) => attributes.type === 'checkbox';

export const inputMarkup = (form: Fields): string[] => linesOf(form, HTML);
export const inputJsx = (form: Fields): string[] => linesOf(form, JSX);

function linesOf(form: Fields, dialect: Dialect): string[] {
	return rulesOf(form).flatMap((rule, i) => {
		const label = labelOf(rule);
		if (rule.type !== 'checkbox' || !rule.options) {
			const id = /^[\w-]+$/.test(rule.name) ? rule.name : `field-${i + 1}`;
			return dialect.labelled(controlOf(rule, form), { label, id });
		}
		const choices = rule.options.map((value) => {
			const box = write({ tag: 'input', attributes: { name: rule.name, type: 'checkbox', value } }, dialect);
			return `  <label>${box} ${text(value)}</label>`;
		});
		return ['<fieldset>', `  <legend>${text(label)}</legend>`, ...choices, '</fieldset>'];
	});
}

/** Values to try the form with, of all fields but files; `undefined` where none was found. */
export function sampleValues(form: Fields): [FieldRule, string | undefined][] {
	const texts = rulesOf(form).filter(({ type }) => type !== 'file');
	return texts.map((rule) => [rule, sampleOf(rule)]);
}

function controlOf(rule: FieldRule, { files }: Fields): Control {
	const { name, type, options, required } = rule;
	if (type === 'select') return { tag: options ? 'select' : 'input', attributes: { name, required }, options };
	if (type === 'file') {
		const multiple = name === 'files' && (files?.maxFiles ?? 1) > 1;
		return {
			tag: 'input',
			attributes: { name, type, multiple, accept: files?.types.join(',') || undefined, required },
		};
	}
	const bounds = boundsOf(rule);
	if (isLong(rule)) return { tag: 'textarea', attributes: { name, rows: LINES, ...bounds, required } };
	const shown = type === 'text' ? undefined : type;
	return { tag: 'input', attributes: { name, type: shown, autocomplete: AUTOCOMPLETE[name], ...bounds, required } };
}

function boundsOf(rule: FieldRule): Attributes {
	const members = FIELD_TYPES[rule.type].members.filter((member) => member !== 'options');
	const bounds = Object.fromEntries(members.map((member) => [member.toLowerCase(), rule[member]]));
	// Else a browser takes whole numbers only.
	return { ...(bounds as Attributes), step: rule.type === 'number' && 'any' };
}

function write({ tag, attributes, options }: Control, dialect: Dialect): string {
	const written = Object.entries(attributes).flatMap(([name, value]) => {
		if (value === undefined || value === false) return [];
		const called = dialect.attributes[name] ?? name;
		if (value === true) return [called];
		return `${called}=${typeof value === 'number' ? dialect.number(value) : `"${attribute(value)}"`}`;
	});
	const open = `<${[tag, ...written].join(' ')}`;
	if (!options) return `${open}${dialect.empty(tag)}`;
	return `${open}>${['<option value=""></option>', ...options.map(choice)].join('')}</${tag}>`;
}

function choice(option: string): string {
	const value = CHANGED_BLANKS.test(option) ? ` value="${attribute(option)}"` : '';
	return `<option${value}>${text(option)}</option>`;
}

/** A value in quotes; what begins a tag of a template language is escaped. */
export function attribute(value: string): string {
	return value
		.replaceAll('&', '&amp;')
		.replaceAll('"', '&quot;')
		.replace(/\{(?=[{%#])/g, '&#123;');
}

/** Also for JSX. */
function text(value: string): string {
	const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '{': '&#123;', '}': '&#125;' };
	return value.replace(/[&<>{}]/g, (character) => escapes[character] as string);
}
