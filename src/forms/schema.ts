/** The wire shapes of forms; of their settings, from the record in `settings.ts`. */

import { type Static, type TObject, Type } from '@sinclair/typebox';
import { ignoredMembers, nullable, stringEnum } from '../http/schema-types.ts';
import { mapOtherCounts } from '../storage/filters.ts';
import { MODES } from '../storage/tables.ts';
import {
	FORM_SETTINGS,
	type FormInput,
	type FormSettings,
	mapSettings,
	type SettingName,
	TELLING_SETTINGS,
} from './settings.ts';

const TYPES = { Type, stringEnum, nullable };

const shown = mapSettings((setting) => {
	const schema = setting.schema(TYPES);
	return setting.blank === null ? nullable(schema) : schema;
});

/** The members of a form besides its settings. */
const own = Type.Object({
	id: Type.String(),
	formerSlugs: Type.Array(Type.String(), {
		description:
			'Slugs that it had before. Submissions posted to them still reach the form, until another form takes the slug.',
	}),
	submissionCount: Type.Integer({ description: 'All submissions but spam.' }),
	createdAt: Type.String({ format: 'date-time' }),
	mode: stringEnum(MODES),
	...mapOtherCounts(() => Type.Integer()),
	nextDeletion: nullable(
		Type.Object({
			at: Type.String({ format: 'date-time', description: 'When the next submission is old enough.' }),
			count: Type.Integer({ description: 'How many are deleted within a day from then.' }),
		}),
		{ description: 'The next deletion by `retention`; `null`: none.' },
	),
	fileBytes: Type.Integer({
		description: 'Bytes of all files attached to its submissions; each counts as 4 KiB at least.',
	}),
});

export const Form = Type.Object({ ...own.properties, ...shown }, { $id: 'Form' });
export interface Form extends FormSettings, Static<typeof own> {}

/** A form as a change returns it: without what may say something about visitors, unless the caller may read. */
export const ChangedForm = Type.Object(
	{ ...Form.properties, ...Type.Partial(Type.Pick(Form, TELLING_SETTINGS)).properties },
	{ $id: 'ChangedForm' },
);

const isShown = (name: string, mayRead: boolean) => mayRead || !TELLING_SETTINGS.some((telling) => telling === name);

export function changedForm(form: Form, mayRead: boolean): Partial<Form> {
	return Object.fromEntries(Object.entries(form).filter(([name]) => isShown(name, mayRead)));
}

export const FormList = Type.Object({ forms: Type.Array(Form) }, { $id: 'FormList' });

const ignored = ignoredMembers(Form, FORM_SETTINGS);

const settable = mapSettings((setting) => {
	const schema = setting.inputSchema?.(TYPES) ?? setting.schema(TYPES);
	return Type.Optional(setting.isRequired ? schema : nullable(schema));
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

/** A form that was found or made by its slug. */
export const EnsuredForm = Type.Object(
	{
		form: ChangedForm,
		isNew: Type.Boolean({ description: 'Whether it was made by this request.' }),
		differs: Type.Array(Type.String(), {
			description:
				'The settings that were sent and that the form does not have. They are not changed: update the form for that.',
		}),
	},
	{ $id: 'EnsuredForm' },
);
export interface EnsuredForm {
	form: Form;
	isNew: boolean;
	differs: SettingName[];
}

/** As `changedForm`; `differs` would confirm a guess at what the form leaves out. */
export function ensuredForm({ form, differs, ...rest }: EnsuredForm, mayRead: boolean) {
	return { ...rest, form: changedForm(form, mayRead), differs: differs.filter((name) => isShown(name, mayRead)) };
}
