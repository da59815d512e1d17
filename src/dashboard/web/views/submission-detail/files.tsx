/** The attached files of a submission: pictures are shown, everything else is named and downloaded. */

import { useState } from 'preact/hooks';
import { roughSize } from '../../../../text/byte-sizes.ts';
import * as api from '../../api.ts';
import type { FileAddress, SubmittedFile } from '../../api-types.ts';
import { Button, DownloadLink } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/messages.tsx';
import { download } from '../../export-file.ts';
import * as words from '../../sentences/words.ts';
import { may } from '../../state/session.ts';
import { FileLinkDialog } from './file-link-dialog.tsx';
import { Picture } from './picture.tsx';

/** Formats in which nothing can run; the content decided which one a file has. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Id of a file's element, to go there from its field. */
export const elementOf = ({ id }: SubmittedFile) => `file-${id}`;

const isKept = ({ isKept: kept }: SubmittedFile) => kept !== false;
const isPicture = ({ type, size, scan }: SubmittedFile) =>
	PICTURES.includes(type) && size > 0 && (scan === undefined || scan === 'clean');

interface Props {
	file: SubmittedFile;
	address: FileAddress;
}

/** The way to the bytes of an infected file: for those who may do everything, and by a second decision. */
function InfectedFile({ file: { name }, address }: Props) {
	const [isAsking, setAsking] = useState(false);
	return (
		<>
			<Notice tone="bad" icon="warning">
				{words.submission.infectedHint(may('admin'))}
			</Notice>
			{may('admin') && (
				<div>
					<Button
						look="small danger"
						icon="download"
						label={words.submission.downloadInfected}
						aria-label={words.submission.downloadInfectedOf(name)}
						onClick={() => setAsking(true)}
					/>
				</div>
			)}
			{isAsking && (
				<ConfirmDialog
					title={words.submission.infectedQuestion}
					verb={words.submission.infectedVerb}
					onConfirm={async () => download(api.files.address(address, { infected: 'download' }))}
					onClose={() => setAsking(false)}
				>
					<p>{words.submission.infectedWarning(<strong class="break">{name}</strong>)}</p>
				</ConfirmDialog>
			)}
		</>
	);
}

function Actions({ file: { name }, address }: Props) {
	const [isLinking, setLinking] = useState(false);
	return (
		<div class="row tight wrap">
			<Button
				look="small"
				icon="link"
				label={words.submission.copyLink}
				aria-label={words.submission.copyLinkTo(name)}
				onClick={() => setLinking(true)}
			/>
			<DownloadLink href={api.files.address(address)} label={words.submission.download} what={name} />
			{isLinking && <FileLinkDialog address={address} name={name} onClose={() => setLinking(false)} />}
		</div>
	);
}

function Item(props: Props) {
	const { file, address } = props;
	const isInfected = file.scan === 'infected';
	const canHave = isKept(file) && !isInfected;
	return (
		<li class="file stack" id={elementOf(file)} tabIndex={-1}>
			<div class="file-head row wrap">
				<Icon name={isInfected ? 'warning' : 'file'} />
				<div class="lines">
					<bdi>{file.name}</bdi>
					<span class="muted small">
						{file.type} · {roughSize(file.size)}
					</span>
				</div>
				{isInfected && <span class="chip bad">{words.submission.infected}</span>}
				{file.scan === 'unchecked' && <span class="chip warn">{words.submission.unchecked}</span>}
				{canHave && <Actions {...props} />}
			</div>
			{isInfected && isKept(file) && <InfectedFile {...props} />}
			{!isKept(file) && <p class="hint">{words.submission.notKept}</p>}
			{file.scan === 'unchecked' && <p class="hint">{words.submission.uncheckedHint}</p>}
			{canHave && isPicture(file) && <Picture address={address} name={file.name} />}
		</li>
	);
}

export function Files({ form, submission, files }: { form: string; submission: string; files: SubmittedFile[] }) {
	if (files.length === 0) return null;
	const canHave = files.filter((file) => isKept(file) && file.scan !== 'infected');
	return (
		<section class="detail-section stack" aria-label={words.submission.filesName}>
			<div class="section-head spread">
				<h3>{words.submission.files(files.length)}</h3>
				{canHave.length > 1 && (
					<DownloadLink
						href={api.files.archive(form, submission)}
						label={words.submission.downloadAll}
						what={words.submission.asZip}
					/>
				)}
			</div>
			<ul class="files stack">
				{files.map((file) => (
					<Item key={file.id} file={file} address={{ form, submission, file: file.id }} />
				))}
			</ul>
		</section>
	);
}
