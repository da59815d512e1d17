/** The setting for the pages that visitors see: the words of the thank-you page, and a colour. */

import {
	NO_THANKS,
	type PageSettings,
	type PageSettingsInput,
	THANKS_MAX,
	type ThanksTexts,
} from '../../../../form-values/page-settings.ts';
import type { Pages } from '../../../../forms/kinds/pages.ts';
import { Field } from '../../components/inputs.tsx';
import { errorOf } from '../../field-errors.ts';
import * as words from '../../sentences/words.ts';
import type { Control, ControlProps } from './control.ts';
import { SettingFieldset } from './setting-fieldset.tsx';

type Draft = Record<keyof ThanksTexts | 'accent', string>;

const INPUTS: Record<keyof Draft, { label: string; lines?: number; placeholder?: string; type?: 'url' }> = {
	title: { label: words.formSettings.thanksTitle, placeholder: words.formSettings.thanksTitleExample },
	text: { label: words.formSettings.thanksText, lines: 3, placeholder: words.formSettings.thanksTextExample },
	linkUrl: { label: words.formSettings.thanksLink, type: 'url', placeholder: 'https://example.com/' },
	linkLabel: { label: words.formSettings.thanksLinkLabel },
	accent: { label: words.formSettings.colour, placeholder: '#1d6b57' },
};
const PARTS = Object.keys(INPUTS) as (keyof Draft)[];

export const pages: Control<Pages, Draft> = { draft: draftOf, change: changeOf, Input: PagesInputs };

function draftOf(value: PageSettings | null): Draft {
	const stored = { ...NO_THANKS, ...value?.thanks, accent: value?.accent ?? null };
	return Object.fromEntries(PARTS.map((part) => [part, stored[part] ?? ''])) as Draft;
}

function changeOf({ accent, ...thanks }: Draft): PageSettingsInput {
	return { thanks, accent };
}

function PagesInputs({ name, setting, draft, error, disabled, onChange }: ControlProps<Pages, Draft>) {
	return (
		<SettingFieldset name={name} setting={setting} error={error} disabled={disabled}>
			{PARTS.map((part) => (
				<Field
					key={part}
					{...INPUTS[part]}
					maxLength={part === 'accent' ? 7 : THANKS_MAX[part]}
					value={draft[part]}
					error={errorOf(error, part === 'accent' ? 'pages.accent' : `pages.thanks.${part}`)}
					onInput={(text) => onChange({ ...draft, [part]: text })}
				/>
			))}
		</SettingFieldset>
	);
}
