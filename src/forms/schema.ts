/** The wire shapes of forms; of their settings, from the record in `settings.ts`. */

import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox';
import { ignoredMembers, nullable, stringEnum } from '../http/schema-types.ts';
import { MODES } from '../storage/tables.ts';
import {
	FORM_SETTINGS,
	type FormInput,
	type FormSetting,
	type FormSettings,
	isNullable,
	mapSettings,
} from './settings.ts';

const shown = mapSettings((setting) => (isNullable(setting) ? nullable(schemaOf(setting)) : schemaOf(setting)));

/** What a form has besides its settings. */
const own = Type.Object({
	id: Type.String(),
	formerSlugs: Type.Array(Type.String(), {
		description:
			'Slugs that it had before. Submissions posted to them still reach the form, until another form takes the slug.',
	}),
	submissionCount: Type.Integer({ description: 'All submissions but spam.' }),
	createdAt: Type.String({ format: 'date-time' }),
	mode: stringEnum(MODES),
	unreadCount: Type.Integer(),
	starredCount: Type.Integer(),
	spamCount: Type.Integer(),
	fileBytes: Type.Integer({ description: 'Bytes of all files attached to its submissions.' }),
});

/** A form as every route returns it. */
export const Form = Type.Object({ ...own.properties, ...shown }, { $id: 'Form' });
export interface Form extends FormSettings, Static<typeof own> {}

export const FormList = Type.Object({ forms: Type.Array(Form) }, { $id: 'FormList' });

const ignored = ignoredMembers(Form, FORM_SETTINGS);

const settable = mapSettings((setting) => {
	const schema = setting.kind === 'files' ? filesInput(setting.description) : schemaOf(setting);
	return Type.Optional(isNullable(setting) || setting.kind === 'list' ? nullable(schema) : schema);
});

export const CreateForm = Type.Object(
	{ ...settable, name: shown.name, ...ignored },
	{ $id: 'CreateForm', additionalProperties: false },
) as TObject & { static: CreateForm };
export type CreateForm = FormInput & { name: string };

export const UpdateForm = Type.Object(
	{ ...settable, ...ignored },
	{ $id: 'UpdateForm', additionalProperties: false },
) as TObject & { static: UpdateForm };
export type UpdateForm = FormInput;

function schemaOf(setting: FormSetting): TSchema {
	const { kind, description } = setting;
	if (kind === 'switch') return Type.Boolean({ description });
	if (kind === 'list') return Type.Array(Type.String(), { description });
	if (kind === 'files') return filesSchema(description);
	if (kind === 'choice') return stringEnum(Object.keys(setting.choices), { description });
	return Type.String({ description, ...(setting.isRequired && { examples: [setting.example] }) });
}

function filesSchema(description: string): TSchema {
	const members = { maxFiles: Type.Integer(), maxBytes: Type.Integer(), types: Type.Array(Type.String()) };
	return Type.Object(members, { description });
}

function filesInput(description: string): TSchema {
	const members = {
		maxFiles: Type.Integer(),
		maxBytes: Type.Union([Type.Integer(), Type.String()]),
		types: Type.Array(Type.String()),
	};
	return Type.Partial(Type.Object(members), { description, additionalProperties: false });
}
