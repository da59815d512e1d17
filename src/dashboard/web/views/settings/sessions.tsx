/** The list of dashboard sessions, which can be ended. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { SignedIn } from '../../api-types.ts';
import { Button } from '../../components/buttons.tsx';
import { ConfirmDialog } from '../../components/dialogs.tsx';
import { Loaded } from '../../components/messages.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import * as words from '../../sentences/more-words.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';
import { KeyName } from '../keys.tsx';

const nameOf = ({ key }: SignedIn) => (key ? key.name || words.keys.unnamedKey : words.keys.setupLink);

function SessionTable({ list, onEnd }: { list: SignedIn[]; onEnd: (session: SignedIn) => void }) {
	const columns: Column<SignedIn>[] = [
		{
			head: words.keys.openedWith,
			cell: (session) => <KeyName name={nameOf(session)} display={session.key?.display} />,
		},
		{ head: words.keys.signedIn, class: 'muted nowrap', cell: ({ createdAt }) => <Time iso={createdAt} /> },
		{ head: words.keys.lastSeen, class: 'col-wide muted nowrap', cell: ({ lastSeenAt }) => <Time iso={lastSeenAt} /> },
		{
			head: words.keys.actions,
			isHeadHidden: true,
			class: 'col-action',
			cell: (session) =>
				session.isCurrent ? (
					<span class="chip good nowrap">{words.keys.thisOne}</span>
				) : (
					<Button
						label={words.keys.end}
						look="small"
						onClick={() => onEnd(session)}
						aria-label={words.keys.endOf(nameOf(session))}
					/>
				),
		},
	];
	return <Table name={words.keys.sessions} columns={columns} rows={list} />;
}

export function Sessions() {
	const query = useQuery('sessions', api.sessions.list);
	const { data, reload } = query;
	const [isAsking, setAsking] = useState(false);
	const others = data?.sessions.filter(({ isCurrent }) => !isCurrent).length ?? 0;
	const end = ({ id }: SignedIn) =>
		api.sessions
			.end(id)
			.then(() => showToast(words.keys.sessionEnded), showError)
			.then(reload);
	const endOthers = async () => {
		const { ended } = await api.sessions.endOthers();
		showToast(words.keys.othersEnded(ended));
		reload();
	};
	return (
		<section class="stack">
			<div class="section-head spread">
				<h2>{words.keys.signedIn}</h2>
				{others > 0 && <Button label={words.keys.endOthers} look="small" onClick={() => setAsking(true)} />}
			</div>
			<Loaded query={query}>{({ sessions }) => <SessionTable list={sessions} onEnd={end} />}</Loaded>
			{isAsking && (
				<ConfirmDialog
					title={words.keys.endOthersQuestion}
					verb={words.keys.endOthersVerb}
					onConfirm={endOthers}
					onClose={() => setAsking(false)}
				>
					<p>
						{words.keys.endOthersWarning(others, (text) => (
							<strong>{text}</strong>
						))}
					</p>
				</ConfirmDialog>
			)}
		</section>
	);
}
