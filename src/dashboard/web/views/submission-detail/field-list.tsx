/** All fields of a submission in the order sent; always as text. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { SubmittedFile } from '../../api-types.ts';
import { CodeBlock, CopyButton } from '../../components/code.tsx';
import { Icon } from '../../components/icon.tsx';
import { numeralText } from '../../exact-json.ts';
import { jsonText, valueText } from '../../format.ts';
import * as words from '../../sentences/words.ts';
import { fieldLabels } from '../../state/forms.ts';
import { elementOf } from './files.tsx';

const FOLDED_AT = 2000;

function LongText({ text }: { text: string }) {
	const [isOpen, setOpen] = useState(text.length <= FOLDED_AT);
	return (
		<>
			<p class={isOpen ? 'value-text' : 'value-text folded'} dir="auto">
				{isOpen ? text : `${text.slice(0, FOLDED_AT)}…`}
			</p>
			{!isOpen && (
				<button type="button" class="link" onClick={() => setOpen(true)}>
					{words.submission.showAll(text.length)}
				</button>
			)}
		</>
	);
}

const isPlain = (item: unknown) => typeof item !== 'object' || item === null || numeralText(item) !== undefined;

const ValueList = ({ items }: { items: ComponentChildren[] }) => (
	<ul class="value-list">
		{items.map((item, at) => (
			<li key={at} dir="auto">
				{item}
			</li>
		))}
	</ul>
);

/** The names of files, each with the way to its file; what else was sent in the field is text. */
function FileNames({ names, files }: { names: unknown[]; files: SubmittedFile[] }) {
	/** Files may have the same name: each is led to once. */
	const left = [...files];
	const items = names.map((name) => {
		const found = left.findIndex((candidate) => candidate.name === name);
		const file = found < 0 ? undefined : left.splice(found, 1)[0];
		if (!file) return valueText(name);
		return (
			<button type="button" class="link" onClick={() => document.getElementById(elementOf(file))?.focus()}>
				<Icon name="paperclip" />
				{file.name}
			</button>
		);
	});
	return <ValueList items={items} />;
}

function Value({ value }: { value: unknown }) {
	if (value === '' || value === null)
		return <p class="muted">{value === null ? words.submission.nullValue : words.submission.emptyValue}</p>;
	if (Array.isArray(value) && value.length > 0 && value.every(isPlain))
		return <ValueList items={value.map(valueText)} />;
	if (isPlain(value)) return <LongText text={valueText(value)} />;
	return <CodeBlock text={jsonText(value)} name={words.submission.structuredValue} />;
}

interface FieldListProps {
	form: string;
	data: Record<string, unknown>;
	files: SubmittedFile[];
}

export function FieldList({ form, data, files }: FieldListProps) {
	const labelOf = fieldLabels(form);
	const ofField = Map.groupBy(files, ({ field }) => field);
	return (
		<dl class="fields">
			{Object.entries(data).map(([name, value]) => (
				<div class="field-row" key={name}>
					<dt class="muted small">
						<bdi>{labelOf(name)}</bdi>
					</dt>
					<dd>
						{ofField.has(name) ? (
							<FileNames names={[value].flat()} files={ofField.get(name) ?? []} />
						) : (
							<Value value={value} />
						)}
						<CopyButton text={valueText(value)} what={words.submission.quoted(labelOf(name))} />
					</dd>
				</div>
			))}
		</dl>
	);
}
