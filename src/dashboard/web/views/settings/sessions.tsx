/** The list of dashboard sessions, which can be ended. */

import { useState } from 'preact/hooks';
import * as api from '../../api.ts';
import type { SignedIn } from '../../api-types.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { LoadFailure } from '../../components/load-failure.tsx';
import { Time } from '../../components/time.tsx';
import { plural } from '../../format.ts';
import { showError, showToast } from '../../state/toasts.ts';
import { useQuery } from '../../use-query.ts';

const nameOf = ({ key }: SignedIn) => (key ? key.name || 'Unnamed key' : 'Set-up link');

function SessionRow({ session, onEnd }: { session: SignedIn; onEnd: () => void }) {
	const { key, createdAt, lastSeenAt, isCurrent } = session;
	return (
		<tr>
			<td>
				<bdi class="strong">{nameOf(session)}</bdi>
				{key && <span class="muted mono small nowrap">{key.display}</span>}
			</td>
			<td class="muted nowrap">
				<Time iso={createdAt} />
			</td>
			<td class="col-wide muted nowrap">
				<Time iso={lastSeenAt} />
			</td>
			<td class="col-action">
				{isCurrent ? (
					<span class="chip good nowrap">This one</span>
				) : (
					<button
						type="button"
						class="button small"
						onClick={onEnd}
						aria-label={`End the session of ${nameOf(session)}`}
					>
						End
					</button>
				)}
			</td>
		</tr>
	);
}

function SessionTable({ list, onEnd }: { list: SignedIn[]; onEnd: (session: SignedIn) => void }) {
	return (
		<div class="table-card">
			<table class="table">
				<caption class="visually-hidden">Sessions</caption>
				<thead>
					<tr>
						<th scope="col">Opened with</th>
						<th scope="col">Signed in</th>
						<th scope="col" class="col-wide">
							Last seen
						</th>
						<th scope="col" class="col-action">
							<span class="visually-hidden">Actions</span>
						</th>
					</tr>
				</thead>
				<tbody>
					{list.map((session) => (
						<SessionRow key={session.id} session={session} onEnd={() => onEnd(session)} />
					))}
				</tbody>
			</table>
		</div>
	);
}

export function Sessions() {
	const { data, error, reload } = useQuery('sessions', api.sessions.list);
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
			<div class="section-head">
				<h2>Signed in</h2>
				{others > 0 && (
					<button type="button" class="button small" onClick={() => setAsking(true)}>
						End all others…
					</button>
				)}
			</div>
			{error !== undefined && data === undefined && <LoadFailure error={error} onRetry={reload} />}
			{data && <SessionTable list={data.sessions} onEnd={end} />}
			{isAsking && (
				<ConfirmDialog
					title="End all other sessions?"
					verb="End them"
					onConfirm={endOthers}
					onClose={() => setAsking(false)}
				>
					<p>
						<strong>{plural(others, 'session')}</strong> must sign in again; unused set-up links work no more. Keys stay
						as they are.
					</p>
				</ConfirmDialog>
			)}
		</section>
	);
}
