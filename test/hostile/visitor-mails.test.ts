/** Attackers who have forms write to a victim, each from a network of its own, past the captcha, however they write the address. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import type { AltchaChallenge } from '../../src/intake/checks/altcha.ts';
import { type DeliveryRow, deliveries } from '../../src/storage/tables.ts';
import { type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { solveAltcha } from '../intake/checks/solve-altcha.ts';
import { type Random, seeded } from '../seeded.ts';
import { openTestServer, type TestServer } from '../server.ts';

/** The long form: `ATTACK_SECONDS=600 bun test test/hostile/visitor-mails.test.ts`. */
const ATTACK_SECONDS = Number(process.env.ATTACK_SECONDS ?? 8);
const ATTACKERS = 50;
const FORMS = 6;
/** All together. */
const SUBMISSIONS_A_SECOND = 6;
const A_DAY_AND_FORM = 1;
const A_DAY = 3;

setDefaultTimeout(60_000 + 2000 * ATTACK_SECONDS);

let peer: ScriptedSmtp;
let server: TestServer;
beforeAll(async () => {
	peer = await startScriptedSmtp();
	server = await openTestServer({
		settings: { FORMSRV_SMTP_URL: peer.url, FORMSRV_MAIL_FROM: 'Forms <forms@example.com>' },
	});
});
afterAll(async () => {
	await server.close();
	await peer.close();
});

/** The address of the victim, written in one way or another. */
function victim(random: Random): string {
	const name = [...'victim']
		.map((letter) => (random(4) === 0 ? letter.toUpperCase() : letter))
		.join(['', '.'][random(2)]);
	return `${name}${['', '+a', `+${random(1000)}`][random(3)]}@${['gmail.com', 'GMAIL.com', 'googlemail.com'][random(3)]}`;
}

async function attack(slug: string, { email, from }: { email: string; from: string }): Promise<number> {
	const headers = { 'X-Forwarded-For': from, Accept: 'application/json' };
	const challenge = await fetch(`${server.submitUrl}/f/${slug}/challenge`, { headers });
	const altcha = solveAltcha((await challenge.json()) as AltchaChallenge);
	const { status } = await server.submit(slug, { email, altcha }, headers);
	return status;
}

const count = (...states: DeliveryRow['state'][]) =>
	server.app.storage.db.$count(deliveries, inArray(deliveries.state, states));

test(`${ATTACK_SECONDS} s of ${ATTACKERS} attackers: a victim gets at most ${A_DAY_AND_FORM} mail a day from a form, ${A_DAY} in all`, async () => {
	const slugs = await Promise.all(
		Array.from({ length: FORMS }, async (_, i) => {
			const autoresponder = { field: 'email', subject: `Form ${i}`, text: 'Thank you.' };
			const json = { name: `Form ${i}`, captcha: 'altcha', spam: { threshold: null }, autoresponder };
			return (await server.call<{ slug: string }>('POST /api/forms', { json })).body.slug;
		}),
	);
	const random = seeded(ATTACK_SECONDS);
	const statuses: number[] = [];
	const send = async (i: number) => {
		const slug = slugs[random(FORMS)] ?? '';
		const from = `11.0.${i % ATTACKERS}.1`;
		statuses.push(await attack(slug, { email: victim(random), from }));
	};
	// All at once, then for as long as it lasts.
	await Promise.all(Array.from({ length: ATTACKERS }, (_, i) => send(i)));
	for (let i = 0; i < ATTACK_SECONDS * SUBMISSIONS_A_SECOND; i++) {
		await Promise.all([send(i), Bun.sleep(1000 / SUBMISSIONS_A_SECOND)]);
	}
	for (let tries = 0; tries < 400 && (await count('waiting', 'sending')) > 0; tries++) await Bun.sleep(50);
	const subjects = peer.accepted.map(({ content }) => /^Subject: (.*)\r$/m.exec(content)?.[1]);
	expect(statuses.filter((status) => status !== 200)).toEqual([]);
	expect([await count('sent'), await count('withheld')]).toEqual([A_DAY, statuses.length - A_DAY]);
	expect(subjects.length).toBe(A_DAY);
	expect(new Set(subjects).size).toBe(A_DAY / A_DAY_AND_FORM);
	console.info(`${statuses.length} submissions, ${subjects.length} mails`);
});
