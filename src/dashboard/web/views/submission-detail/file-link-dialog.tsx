/** Makes a link by which anyone can download a file, for as long as the owner says. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { FileAddress, FileLink } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { CodeLine } from '../../components/code.tsx';
import { Dialog, FormDialog } from '../../components/dialogs.tsx';
import { Segments } from '../../components/inputs.tsx';
import { absoluteTime } from '../../format.ts';
import { useAction } from '../../use-action.ts';

const HOUR_SECONDS = 3600;
const LIVES = [
	{ value: '1', label: '1 hour' },
	{ value: '24', label: '1 day' },
	{ value: '168', label: '7 days' },
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
	const title = `Link to “${name}”`;
	if (link) {
		return (
			<Dialog title={title} onClose={onClose} actions={<Button look="primary" label="Done" onClick={onClose} />}>
				<p>
					Anyone who has it can download the file until <strong>{absoluteTime(link.expiresAt)}</strong>.
				</p>
				<CodeLine text={link.url} what="the link" isLabelled />
			</Dialog>
		);
	}
	return (
		<FormDialog title={title} verb={action.isBusy ? 'Creating…' : 'Create link'} action={action} onClose={onClose}>
			<p>
				Anyone can download the file with it, without a key. It ends with its time, with the file, and with the key or
				session that made it.
			</p>
			<Segments legend="How long it works" options={LIVES} value={hours} onChange={setHours} />
		</FormDialog>
	);
}
