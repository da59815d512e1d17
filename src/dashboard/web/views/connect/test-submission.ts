/** The content of a test submission: values that keep to the form's rules, and those that only its owner can fill in. */

import type { FieldRule } from '../../../../field-rules/rules.ts';
import type { Form } from '../../api-types.ts';
import * as words from '../../sentences/more-words.ts';
import { isStoredIn } from './form-terms.ts';
import { rulesOf, sampleValues } from './snippet-inputs.ts';

export type SentFields = Record<string, string | File>;

/** The required fields for which there is no value to make up. */
export function fieldsToAsk(form: Form): FieldRule[] {
	const own = { fields: form.fields, isStored: isStoredIn(form) };
	const unknown = new Set(sampleValues(own).flatMap(([rule, value]) => (value === undefined ? [rule] : [])));
	return rulesOf(own).filter(
		(rule) => rule.required && (unknown.has(rule) || (rule.type === 'file' && !makerFor(form.files?.types ?? []))),
	);
}

/** @param asked What the owner filled in. */
export async function testValues(form: Form, asked: SentFields): Promise<SentFields> {
	const own = { fields: form.fields, isStored: isStoredIn(form) };
	const values: SentFields = {};
	for (const [{ name }, value] of sampleValues(own)) {
		const text = (form.fields ? undefined : words.connect.testValues[name]) ?? value;
		if (text !== undefined) values[name] = text;
	}
	for (const { name, type, required } of rulesOf(own)) {
		const file = type === 'file' && required && (await makerFor(form.files?.types ?? [])?.());
		if (file) values[name] = file;
	}
	return { ...values, ...asked };
}

function makerFor(types: readonly string[]): (() => File | Promise<File>) | undefined {
	const takes = (...some: string[]) => types.length === 0 || some.some((type) => types.includes(type));
	if (takes('text/plain', 'text/*', '.txt')) return () => new File([words.connect.testFile], 'test.txt');
	if (takes('application/pdf', 'application/*', '.pdf')) return () => new File(['%PDF-1.4\n%%EOF\n'], 'test.pdf');
	if (takes('image/png', 'image/*', '.png')) return () => picture('image/png', 'test.png');
	return takes('image/jpeg', '.jpg', '.jpeg') ? () => picture('image/jpeg', 'test.jpg') : undefined;
}

async function picture(type: string, name: string): Promise<File> {
	const canvas = new OffscreenCanvas(16, 16);
	canvas.getContext('2d')?.fillRect(0, 0, 8, 8);
	return new File([await canvas.convertToBlob({ type })], name);
}
