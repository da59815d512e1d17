/** The list of dashboard sessions, which can be ended. */

import { useState } from 'preact/hooks';
import { plural } from '../../../../text/plural.ts';
import * as api from '../../api.ts';
import type { SignedIn } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { Loaded } from '../../components/messages.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { showError, showToast } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';
import { KeyName } from '../keys.tsx';

const nameOf = ({ key }: SignedIn) => (key ? key.name || 'Unnamed key' : 'Set-up link');

function SessionTable({ list, onEnd }: { list: SignedIn[]; onEnd: (session: SignedIn) => void }) {
	const columns: Column<SignedIn>[] = [
		{
			head: 'Opened with',
			cell: (session) => <KeyName name={nameOf(session)} display={session.key?.display} />,
		},
		{ head: 'Signed in', class: 'muted nowrap', cell: ({ createdAt }) => <Time iso={createdAt} /> },
		{ head: 'Last seen', class: 'col-wide muted nowrap', cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} /> },
		{
			head: 'Actions',
			isHeadHidden: true,
			class: 'col-action',
			cell: (session) =>
				session.isCurrent ? (
					<span class="chip good nowrap">This one</span>
				) : (
					<Button
						label="End"
						look="small"
						onClick={() => onEnd(session)}
						aria-label={`End the session of ${nameOf(session)}`}
					/>
				),
		},
	];
	return <Table name="Sessions" columns={columns} rows={list} />;
}

export function Sessions() {
	const query = useQuery('sessions', api.sessions.list);
	const { data, reload } = query;
	const [isAsking, setAsking] = useState(false);
	const others = data?.sessions.filter(({ isCurrent }) => !isCurrent).length ?? 0;
	const end = ({ id }: SignedIn) =>
		api.sessions
			.end(id)
			.then(() => showToast('The session has ended.'), showError)
			.then(reload);
	const endOthers = async () => {
		const { ended } = await api.sessions.endOthers();
		showToast(`${plural(ended, 'session')} ended.`);
		reload();
	};
	return (
		<section class="stack">
			<div class="section-head spread">
				<h2>Signed in</h2>
				{others > 0 && <Button label="End all others…" look="small" onClick={() => setAsking(true)} />}
			</div>
			<Loaded query={query}>{({ sessions }) => <SessionTable list={sessions} onEnd={end} />}</Loaded>
			{isAsking && (
				<ConfirmDialog
					title="End all other sessions?"
					verb="End them"
					onConfirm={endOthers}
					onClose={() => setAsking(false)}
				>
					<p>
						<strong>{plural(others, 'session')}</strong> must sign in again; unused set-up links stop working. Keys stay
						as they are.
					</p>
				</ConfirmDialog>
			)}
		</section>
	);
}
