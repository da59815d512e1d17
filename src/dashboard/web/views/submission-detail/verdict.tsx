/** Why a submission is spam, or is not: what the rules found, in plain words, with the sum and the threshold. */

import { ruleOf } from '../../../../spam/rules.ts';
import { scoreOf, signed } from '../../../../spam/verdict.ts';
import type { Submission } from '../../api-types.ts';
import { Icon } from '../../components/icon.tsx';
import * as words from '../../sentences/words.ts';
import { formOf } from '../../state/forms.ts';
import { verdictSentence } from '../../verdict-sentence.ts';

interface Props {
	form: string;
	row: Submission;
}

function Reasons({ reasons, threshold }: { reasons: Submission['spamReasons']; threshold: number | null }) {
	return (
		<table class="reasons">
			<caption class="visually-hidden">{words.submission.findings}</caption>
			<thead class="visually-hidden">
				<tr>
					<th scope="col">{words.submission.points}</th>
					<th scope="col">{words.submission.finding}</th>
				</tr>
			</thead>
			<tbody>
				{reasons.map(({ rule, points, detail }) => (
					<tr key={rule}>
						<td class="points">{signed(points)}</td>
						<td>
							<strong>{ruleOf(rule)?.label ?? rule}:</strong> <bdi class="muted">{detail}</bdi>
							<p class="small">{ruleOf(rule)?.meaning}</p>
						</td>
					</tr>
				))}
			</tbody>
			<tfoot>
				<tr>
					<td class="points">{scoreOf(reasons)}</td>
					<td>
						<strong>{words.submission.inAll}</strong>
						{threshold !== null && <span class="muted">{words.submission.spamFrom(threshold)}</span>}
					</td>
				</tr>
			</tfoot>
		</table>
	);
}

export function Verdict({ form, row }: Props) {
	const { isSpam, spamReasons } = row;
	const threshold = formOf(form)?.spam.threshold ?? null;
	if (!isSpam && spamReasons.length === 0) return null;
	const reasons = spamReasons.length > 0 && <Reasons reasons={spamReasons} threshold={threshold} />;
	if (!isSpam) {
		return (
			<details class="verdict card break">
				<summary>
					{words.inbox.spamScore(scoreOf(spamReasons))}
					{threshold !== null && <span class="muted">{words.submission.spamScoreOf(threshold)}</span>}
				</summary>
				<p>{verdictSentence(row, threshold)}</p>
				{reasons}
			</details>
		);
	}
	return (
		<section class="verdict card break is-spam" aria-labelledby="why-spam">
			<h3 id="why-spam" class="row">
				<Icon name="ban" />
				{words.submission.whySpam}
			</h3>
			<p>{verdictSentence(row, threshold)}</p>
			{reasons}
		</section>
	);
}
