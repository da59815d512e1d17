/** The attached files of a submission: pictures are shown, everything else is named and downloaded. */

import { useState } from 'preact/hooks';
import { roughSize } from '../../../../text/byte-sizes.ts';
import { plural } from '../../../../text/plural.ts';
import * as api from '../../api.ts';
import type { FileAddress, SubmittedFile } from '../../api-types.ts';
import { Button, DownloadLink } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { Icon } from '../../components/icon.tsx';
import { Notice } from '../../components/messages.tsx';
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

function startDownload(href: string): void {
	const link = document.createElement('a');
	link.href = href;
	link.download = '';
	link.click();
}

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
				The virus scanner found something in this file.{' '}
				{may('admin') ? 'It is kept, but not shown.' : 'Only a key with the permission admin can download it.'}
			</Notice>
			{may('admin') && (
				<div>
					<Button
						look="small danger"
						icon="download"
						label="Download…"
						aria-label={`Download… ${name}`}
						onClick={() => setAsking(true)}
					/>
				</div>
			)}
			{isAsking && (
				<ConfirmDialog
					title="Download an infected file?"
					verb="Download it"
					onConfirm={async () => startDownload(api.files.address(address, { infected: 'download' }))}
					onClose={() => setAsking(false)}
				>
					<p>
						The virus scanner found something in <strong class="break">{name}</strong>. If you open it, it may take over
						this computer. Only download it if you know how to handle it.
					</p>
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
				label="Copy link"
				aria-label={`Copy link to ${name}`}
				onClick={() => setLinking(true)}
			/>
			<DownloadLink href={api.files.address(address)} label="Download" what={name} />
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
				{isInfected && <span class="chip bad">Infected</span>}
				{file.scan === 'unchecked' && <span class="chip warn">Not checked</span>}
				{canHave && <Actions {...props} />}
			</div>
			{isInfected && isKept(file) && <InfectedFile {...props} />}
			{!isKept(file) && <p class="hint">Only its name and size were kept: it came with spam, or was deleted by age.</p>}
			{file.scan === 'unchecked' && (
				<p class="hint">The virus scanner has not checked it yet. Be careful with it until then.</p>
			)}
			{canHave && isPicture(file) && <Picture address={address} name={file.name} />}
		</li>
	);
}

export function Files({ form, submission, files }: { form: string; submission: string; files: SubmittedFile[] }) {
	if (files.length === 0) return null;
	const canHave = files.filter((file) => isKept(file) && file.scan !== 'infected');
	return (
		<section class="detail-section stack" aria-label="Files">
			<div class="section-head spread">
				<h3>{plural(files.length, 'file')}</h3>
				{canHave.length > 1 && (
					<DownloadLink href={api.files.archive(form, submission)} label="Download all" what="as ZIP" />
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
