/** How much of the room for attached files is used: in all, and by the forms that have the most. */

import { roughSize } from '../../../../text/byte-sizes.ts';
import type { Status } from '../../api-types.ts';
import * as words from '../../sentences/more-words.ts';

/** From here a bar says that room runs short. */
const NEARLY_FULL = 0.9;

function Use({ name, usedBytes, quotaBytes }: { name: string; usedBytes: number; quotaBytes: number }) {
	return (
		<label class={usedBytes >= quotaBytes * NEARLY_FULL ? 'use full stack tight small' : 'use stack tight small'}>
			<span class="spread wrap break">
				<bdi>{name}</bdi>
				<span class="muted">{words.server.sizeOf(roughSize(usedBytes), roughSize(quotaBytes))}</span>
			</span>
			<progress value={usedBytes} max={Math.max(quotaBytes, 1)} />
		</label>
	);
}

export function FilesUse({ files }: { files: Status['files'] }) {
	return (
		<section class="card stack">
			<h2>{words.server.attachedFiles}</h2>
			<Use name={words.server.allForms} {...files} />
			{files.forms.map(({ id, slug, usedBytes }) => (
				<Use key={id} name={`/f/${slug}`} usedBytes={usedBytes} quotaBytes={files.formQuotaBytes} />
			))}
			{files.forms.length === 0 && <p class="muted small">{words.server.noFiles}</p>}
		</section>
	);
}
