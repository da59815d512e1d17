/** The shape of a file that `formsrv apply` reads, made of the schemas of the API. */

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { CreateWebhook } from '../delivery/webhooks/schema.ts';
import { SETTINGS_IN_FILE } from '../forms/check-settings.ts';
import { CreateForm } from '../forms/schema.ts';
import { FORM_SETTINGS, type FormInput } from '../forms/settings.ts';
import { stringEnum } from '../http/schema-types.ts';
import { LISTS, MODES } from '../storage/tables.ts';

/** In place of `null`, which TOML lacks. */
export const NONE = 'none';
export const SETTINGS_OR_NONE = SETTINGS_IN_FILE.filter((name) => FORM_SETTINGS[name].blank === null);

const settings = Object.fromEntries(SETTINGS_IN_FILE.map((name) => [name, CreateForm.properties[name] as TSchema]));
const entries = Type.Array(Type.String(), { description: 'Entries as docs/spam.md has them.' });
const strict = { additionalProperties: false };

const FormInFile = Type.Object(
	{
		...settings,
		mode: Type.Optional(stringEnum(MODES, { description: '`test`: its mails and webhooks are never sent.' })),
		webhooks: Type.Optional(
			Type.Array(CreateWebhook, { description: 'All of its webhooks. Left out: they stay as they are.' }),
		),
		lists: Type.Optional(
			Type.Object(Object.fromEntries(LISTS.map((name) => [name, Type.Optional(entries)])), {
				...strict,
				description: 'Its lists, of which one that is left out stays as it is.',
			}),
		),
	},
	strict,
);

export const FormsFile = Type.Object(
	{
		$schema: Type.Optional(Type.String()),
		name: Type.Optional(
			Type.String({ description: 'Its forms are marked as kept in the file of this name; --prune needs one.' }),
		),
		forms: Type.Record(Type.String(), FormInFile, { description: 'Each form by its slug.' }),
	},
	strict,
);
export type FormsFile = Omit<Static<typeof FormsFile>, 'forms'> & {
	forms: Record<
		string,
		FormInput & { mode?: 'live' | 'test'; webhooks?: CreateWebhook[]; lists?: { block?: string[]; allow?: string[] } }
	>;
};

/** For editors: with what stands for `null`, and for a value from the environment. */
export function formsFileSchema(): object {
	const whole = JSON.parse(JSON.stringify(FormsFile), (_, value) => {
		if (value?.additionalProperties !== false) return value;
		const { required = [], ...others } = value;
		const given = required.map((name: string) => ({ anyOf: [{ required: [name] }, { required: [`${name}_env`] }] }));
		return {
			...others,
			...(given.length > 0 && { allOf: given }),
			patternProperties: { _env$: { type: 'string', description: 'The name of the variable with the value.' } },
		};
	});
	const form = Object.values(whole.properties.forms.patternProperties)[0] as {
		properties: Record<string, { properties: Record<string, object> }>;
	};
	const orNone = (schema: object | undefined) => ({ anyOf: [schema, { const: NONE }] });
	const { spam } = form.properties;
	if (spam) spam.properties.threshold = orNone(spam.properties.threshold);
	for (const name of SETTINGS_OR_NONE) Object.assign(form.properties, { [name]: orNone(form.properties[name]) });
	return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Forms of formsrv', ...whole };
}
