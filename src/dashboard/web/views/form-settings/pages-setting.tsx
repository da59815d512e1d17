/** The setting for the pages that visitors see: the words of the thank-you page, and a colour. */

import { type PageSettings, THANKS_MAX, type ThanksTexts } from '../../../../form-values/page-settings.ts';
import type { Pages } from '../../../../forms/kinds/pages.ts';
import * as words from '../../sentences/more-words.ts';
import type { Control } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';
import { TextFields, type TextInputs, textsOf } from './text-fields.tsx';

const THANKS: TextInputs<keyof ThanksTexts> = {
	title: {
		label: words.formSettings.thanksTitle,
		placeholder: words.formSettings.thanksTitleExample,
		maxLength: THANKS_MAX.title,
	},
	text: {
		label: words.formSettings.thanksText,
		lines: 3,
		placeholder: words.formSettings.thanksTextExample,
		maxLength: THANKS_MAX.text,
	},
	linkUrl: {
		label: words.formSettings.thanksLink,
		type: 'url',
		placeholder: 'https://example.com/',
		maxLength: THANKS_MAX.linkUrl,
	},
	linkLabel: { label: words.formSettings.thanksLinkLabel, maxLength: THANKS_MAX.linkLabel },
};
const COLOUR = { accent: { label: words.formSettings.colour, placeholder: '#1d6b57', maxLength: 7 } };

type Draft = Record<keyof ThanksTexts | keyof typeof COLOUR, string>;

export const pages: Control<Pages, Draft> = {
	draft: (value: PageSettings | null) => ({ ...textsOf(THANKS, value?.thanks ?? null), ...textsOf(COLOUR, value) }),
	change: ({ accent, ...thanks }) => ({ thanks, accent }),
	Input: ({ name, setting, draft, error, disabled, onChange }) => (
		<SettingFieldset {...{ name, setting, error, disabled }}>
			<TextFields name={`${name}.thanks`} inputs={THANKS} {...{ draft, error, onChange }} />
			<TextFields name={name} inputs={COLOUR} {...{ draft, error, onChange }} />
		</SettingFieldset>
	),
};
