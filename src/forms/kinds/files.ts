/** The kind of the setting of attached files: rules, or `null` for no files. */

import {
	checkFileType,
	DEFAULT_FILE_RULES,
	type FileRules,
	type FileRulesInput,
	formatFileRules,
	ON_REFUSED_NAMES,
	parseFileRules,
} from '../../form-values/file-rules.ts';
import { formatSize, parseSize } from '../../text/byte-sizes.ts';
import { partialObject, withoutNulls } from './partial.ts';
import { type Check, faultOf, type OfKind, type Types, type Words } from './setting.ts';

const FILES_MAX = 20;
const TYPES_MAX = 50;

export type Files = OfKind<'files', FileRules | null, FileRulesInput>;

export function files(words: Words<FileRules | null>): Files {
	const { description } = words;
	return {
		...words,
		kind: 'files',
		blank: null,
		schema: (types) => types.Type.Object(membersOf(types), { description }),
		inputSchema(types) {
			const maxBytes = types.Type.Union([types.Type.Integer(), types.Type.String()]);
			return partialObject(types, { ...membersOf(types), maxBytes }, description);
		},
		check: checkFiles,
		format: formatFileRules,
		parse: parseFileRules,
	};
}

function membersOf({ Type, stringEnum }: Types) {
	return {
		maxFiles: Type.Integer(),
		maxBytes: Type.Integer(),
		types: Type.Array(Type.String()),
		onRefused: stringEnum(ON_REFUSED_NAMES),
	};
}

function checkFiles(input: FileRulesInput, check: Check): FileRules {
	const { maxFiles, types, maxBytes: sent, onRefused = 'refuse' } = { ...DEFAULT_FILE_RULES, ...withoutNulls(input) };
	const fault = faultOf(check, 'INVALID_FILES');
	if (!(maxFiles >= 1 && maxFiles <= FILES_MAX)) fault('maxFiles', `must be from 1 to ${FILES_MAX}`);
	const maxBytes = typeof sent === 'string' ? (parseSize(sent) ?? Number.NaN) : sent;
	// A form with the default can be sent back to a server of which the limit is lower.
	const most = Math.max(check.allowed.maxFileBytes, DEFAULT_FILE_RULES.maxBytes);
	if (!(maxBytes >= 1 && maxBytes <= most))
		fault('maxBytes', `must be a size from 1B to ${formatSize(most)}, such as 10MiB`);
	if (types.length > TYPES_MAX) fault('types', `must be at most ${TYPES_MAX} entries`);
	const checked = types.map(
		(type, i) => checkFileType(type) ?? fault(`types.${i}`, 'must be a type such as image/*, application/pdf or .docx'),
	);
	return { maxFiles, maxBytes, types: [...new Set(checked as string[])], onRefused };
}
