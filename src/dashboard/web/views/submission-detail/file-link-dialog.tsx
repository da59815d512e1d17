/** Makes a link by which anyone can download a file, for as long as the owner says. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { FileAddress, FileLink } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { CodeLine } from '../../components/code.tsx';
import { Dialog, FormDialog } from '../../components/dialogs.tsx';
import { Segments } from '../../components/inputs.tsx';
import { absoluteTime } from '../../format.ts';
import * as words from '../../sentences/words.ts';
import { useAction } from '../../use-action.ts';

const HOUR_SECONDS = 3600;
const LIVES = [
	{ value: '1', label: words.submission.oneHour },
	{ value: '24', label: words.submission.oneDay },
	{ value: '168', label: words.submission.sevenDays },
];

interface Props {
	address: FileAddress;
	name: string;
	onClose: () => void;
}

export function FileLinkDialog({ address, name, onClose }: Props) {
	const [hours, setHours] = useState('1');
	const [link, setLink] = useState<FileLink>();
	const action = useAction(async () => setLink(await api.files.link(address, Number(hours) * HOUR_SECONDS)));
	const title = words.submission.linkTo(name);
	if (link) {
		return (
			<Dialog
				title={title}
				onClose={onClose}
				actions={<Button look="primary" label={words.submission.done} onClick={onClose} />}
			>
				<p>{words.submission.linkMade(<strong>{absoluteTime(link.expiresAt)}</strong>)}</p>
				<CodeLine text={link.url} what={words.submission.theLink} isLabelled />
			</Dialog>
		);
	}
	return (
		<FormDialog
			title={title}
			verb={action.isBusy ? words.submission.creatingLink : words.submission.createLink}
			action={action}
			onClose={onClose}
		>
			<p>{words.submission.linkHint}</p>
			<Segments legend={words.submission.linkLife} options={LIVES} value={hours} onChange={setHours} />
		</FormDialog>
	);
}
