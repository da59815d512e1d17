/** Exports the submissions that match the inbox's query to a file, with progress. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { COLUMN_TITLES } from '../../../submissions/export/column-titles.ts';
import { roughSize } from '../../../text/byte-sizes.ts';
import * as api from '../api.ts';
import { Button } from '../components/buttons.tsx';
import { Dialog } from '../components/dialogs.tsx';
import { Choices, Switch, Ticks } from '../components/inputs.tsx';
import { openSink, type Sink } from '../export-file.ts';
import { createRecordCounter } from '../export-progress.ts';
import { selectionOf } from '../inbox-query.ts';
import type { InboxQuery } from '../router.ts';
import * as words from '../sentences/more-words.ts';
import { fieldLabels, formOf } from '../state/forms.ts';
import { showError, showToast } from '../state/toasts.ts';

interface Props {
	form: string;
	fields: readonly string[];
	query: InboxQuery;
	total: number;
	onClose: () => void;
}

const FORMATS: { value: api.ExportFormat; label: string; hint: string }[] = [
	{ value: 'csv', label: words.exports.csv, hint: words.exports.csvHint },
	{
		value: 'xlsx',
		label: words.exports.xlsx,
		hint: words.exports.xlsxHint,
	},
	{ value: 'json', label: words.exports.json, hint: words.exports.jsonHint },
	{ value: 'ndjson', label: words.exports.ndjson, hint: words.exports.ndjsonHint },
];

const RECEIVED = 'createdAt';
/** The API lists at most so many names; the fields beyond them share a column. */
const LISTED_MAX = 2000;
const BEYOND_FIELDS = 'otherFields';
const BEYOND = { value: BEYOND_FIELDS, label: words.exports.fieldsBeyond(LISTED_MAX) };

const OTHER_COLUMNS = Object.entries(COLUMN_TITLES)
	.filter(([value]) => value !== BEYOND_FIELDS)
	.map(([value, label]) => ({ value, label }));

/** The name of a field among columns, whatever it is called. */
const columnOf = (field: string) => `data.${field.replace(/[\\,]/g, '\\$&')}`;

interface Progress {
	/** `undefined` of a workbook, which is packed. */
	records: number | undefined;
	bytes: number;
}

/** Names of single columns go into the address, whose length the server and proxies before it bound. */
const isTooLong = (error: unknown) => error instanceof api.ApiError && [414, 431].includes(error.status);

async function pump(response: Response, sink: Sink, onChunk: (chunk: Uint8Array) => void): Promise<void> {
	const reader = response.body?.getReader();
	while (reader) {
		const { done, value } = await reader.read();
		if (done) break;
		onChunk(value);
		await sink.write(value);
	}
	await sink.close();
}

function ProgressLine({ progress, total }: { progress: Progress; total: number }) {
	return (
		<div class="stack" role="status">
			<progress
				aria-label={words.controls.exportThem}
				max={Math.max(1, total)}
				value={progress.records === undefined ? undefined : Math.min(progress.records, total)}
			/>
			<p class="muted small">
				{progress.records !== undefined && words.exports.recordsOf(progress.records, total)}
				{roughSize(progress.bytes)}
			</p>
		</div>
	);
}

export function ExportDialog({ form, fields, query, total, onClose }: Props) {
	const [format, setFormat] = useState<api.ExportFormat>('csv');
	const labelOf = fieldLabels(form);
	const ofFields = fields.map((field) => ({ value: columnOf(field), label: labelOf(field) }));
	if (fields.length >= LISTED_MAX) ofFields.push(BEYOND);
	const own = ofFields.map(({ value }) => value);
	const [chosen, setChosen] = useState<readonly string[]>([...own, RECEIVED]);
	const [forPeople, setForPeople] = useState<boolean | undefined>(undefined);
	const [hasBom, setBom] = useState(true);
	const [isGuarded, setGuarded] = useState(true);
	const [progress, setProgress] = useState<Progress | undefined>(undefined);
	const running = useRef<AbortController>(undefined);
	useEffect(() => () => running.current?.abort(), []);
	const isCsv = format === 'csv';
	const isTable = isCsv || format === 'xlsx';
	const isForPeople = isTable && (forPeople ?? !isCsv);
	const columns = [...ofFields, ...OTHER_COLUMNS];
	// All fields are one name: of very many the names would not fit into an address.
	const hasAllFields = own.every((column) => chosen.includes(column));
	const named = hasAllFields ? ['data', ...chosen.filter((column) => !own.includes(column))] : chosen;
	const request: api.ExportQuery = {
		...selectionOf(query),
		format,
		columns: named.join(','),
		labels: isForPeople ? true : undefined,
		timeZone: isForPeople ? Intl.DateTimeFormat().resolvedOptions().timeZone : undefined,
		bom: isCsv && hasBom ? 1 : undefined,
		formulas: isCsv && !isGuarded ? 'raw' : undefined,
	};

	const start = async () => {
		const abort = new AbortController();
		running.current = abort;
		try {
			const sink = await openSink({
				name: `${formOf(form)?.slug || words.exports.fileName}.${format}`,
				isLarge: total > 100_000,
			});
			const count = format === 'xlsx' ? () => undefined : createRecordCounter(format);
			const state: Progress = { records: count(new Uint8Array()), bytes: 0 };
			setProgress(state);
			const response = await api.openExport(form, request, abort.signal);
			await pump(response, sink, (chunk) => {
				state.records = count(chunk);
				state.bytes += chunk.length;
				setProgress({ ...state });
			});
			showToast(words.exports.exported(total));
			onClose();
		} catch (error) {
			if (abort.signal.aborted || (error instanceof DOMException && error.name === 'AbortError')) return;
			setProgress(undefined);
			showError(isTooLong(error) ? new Error(words.exports.tooLong) : error);
		}
	};

	return (
		<Dialog
			title={words.exports.title}
			onClose={onClose}
			actions={
				<>
					{chosen.length > 0 && (
						<a class="button ghost" href={api.exportAddress(form, request)} download>
							{words.exports.withoutProgress}
						</a>
					)}
					<Button label={words.controls.cancel} onClick={onClose} />
					<Button
						label={words.controls.exportThem}
						look="primary"
						disabled={progress !== undefined || total === 0 || chosen.length === 0}
						onClick={start}
					/>
				</>
			}
		>
			<p>{words.exports.isOf(total, query)}</p>
			<Choices
				legend={words.exports.format}
				type="radio"
				options={FORMATS}
				chosen={[format]}
				onChange={([value = format]) => setFormat(value)}
			/>
			<Ticks
				legend={words.controls.columns}
				class="checks in-dialog"
				options={columns}
				chosen={chosen}
				onChange={setChosen}
			/>
			{isTable && (
				<Switch
					label={words.exports.forPeople}
					hint={words.exports.forPeopleHint}
					isOn={isForPeople}
					onChange={setForPeople}
				/>
			)}
			{isCsv && (
				<>
					<Switch label={words.exports.bom} hint={words.exports.bomHint} isOn={hasBom} onChange={setBom} />
					<Switch label={words.exports.guard} hint={words.exports.guardHint} isOn={isGuarded} onChange={setGuarded} />
				</>
			)}
			{progress && <ProgressLine progress={progress} total={total} />}
		</Dialog>
	);
}
