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
import type { ControlProps } from './control-props.ts';

export type PagesDraft = Record<keyof ThanksTexts | 'accent', string>;

const INPUTS: Record<keyof PagesDraft, { label: string; lines?: number; placeholder?: string; type?: 'url' }> = {
	title: { label: words.formSettings.thanksTitle, placeholder: words.formSettings.thanksTitleExample },
	text: { label: words.formSettings.thanksText, lines: 3, placeholder: words.formSettings.thanksTextExample },
	linkUrl: { label: words.formSettings.thanksLink, type: 'url', placeholder: 'https://example.com/' },
	linkLabel: { label: words.formSettings.thanksLinkLabel },
	accent: { label: words.formSettings.colour, placeholder: '#1d6b57' },
};
const PARTS = Object.keys(INPUTS) as (keyof PagesDraft)[];

export function pagesDraft(pages: PageSettings | null): PagesDraft {
	const stored = { ...NO_THANKS, ...pages?.thanks, accent: pages?.accent ?? null };
	return Object.fromEntries(PARTS.map((part) => [part, stored[part] ?? ''])) as PagesDraft;
}

export function pagesChange({ accent, ...thanks }: PagesDraft): PageSettingsInput {
	return { thanks, accent };
}

export function PagesSetting({ setting, draft, error, disabled, onChange }: ControlProps<Pages, PagesDraft>) {
	return (
		<fieldset class="stack">
			<legend>{setting.label}</legend>
			<p class="hint">{setting.hint}</p>
			{PARTS.map((part) => (
				<Field
					key={part}
					{...INPUTS[part]}
					maxLength={part === 'accent' ? 7 : THANKS_MAX[part]}
					value={draft[part]}
					error={errorOf(error, part === 'accent' ? 'pages.accent' : `pages.thanks.${part}`)}
					disabled={disabled}
					onInput={(text) => onChange({ ...draft, [part]: text })}
				/>
			))}
		</fieldset>
	);
}
