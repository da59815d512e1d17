/** Why a submission is spam, or is not: what the rules found, in plain words, with the sum and the threshold. */

import { ruleOf } from '../../../../spam/rules.ts';
import { scoreOf, signed } from '../../../../spam/verdict.ts';
import type { Submission } from '../../api-types.ts';
import { Icon } from '../../components/icon.tsx';
import { formOf } from '../../state/forms.ts';

interface Props {
	form: string;
	row: Submission;
}

/** Whether a rule makes spam by itself. */
const isDecisive = (rule: string) => ruleOf(rule)?.verdict !== undefined;

/** One sentence that says what decided. */
function decision({ isSpam, spamReason, spamReasons }: Submission, threshold: number | null): string {
	const score = scoreOf(spamReasons);
	const reaches = threshold !== null && score >= threshold;
	if (isSpam && spamReason === 'marked') return 'It was marked as spam by hand.';
	if (spamReasons.some(({ rule }) => rule === 'allow'))
		return 'It meets an entry of your allow list, so it is not spam.';
	const decisive = spamReasons.find(({ rule }) => isDecisive(rule));
	if (isSpam && decisive) return `${ruleOf(decisive.rule)?.meaning ?? ''} That alone makes it spam.`;
	if (isSpam)
		return `It has ${score} points. From ${threshold ?? 'so many'} points on, this form takes a submission for spam.`;
	if (decisive || reaches) return 'It was marked as genuine by hand.';
	return threshold === null
		? `It has ${score} points, and this form takes nothing for spam because of its points.`
		: `It has ${score} points. This form takes a submission for spam from ${threshold} points on.`;
}

function Reasons({ reasons, threshold }: { reasons: Submission['spamReasons']; threshold: number | null }) {
	return (
		<table class="reasons">
			<caption class="visually-hidden">What the rules found</caption>
			<thead class="visually-hidden">
				<tr>
					<th scope="col">Points</th>
					<th scope="col">What was found</th>
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
						<strong>in all</strong>
						{threshold !== null && <span class="muted"> · spam from {threshold}</span>}
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
			<details class="verdict">
				<summary>
					Spam score {scoreOf(spamReasons)}
					{threshold !== null && <span class="muted"> of {threshold}</span>}
				</summary>
				<p>{decision(row, threshold)}</p>
				{reasons}
			</details>
		);
	}
	return (
		<section class="verdict is-spam" aria-labelledby="why-spam">
			<h3 id="why-spam">
				<Icon name="ban" />
				Why is this spam?
			</h3>
			<p>{decision(row, threshold)}</p>
			{reasons}
		</section>
	);
}
