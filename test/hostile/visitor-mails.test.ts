/** Attackers who have forms write to a victim, each from a network of its own, however they write the address; scanners open the links. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { inArray } from 'drizzle-orm';
import type { AltchaChallenge } from '../../src/intake/checks/altcha.ts';
import { type DeliveryRow, deliveries } from '../../src/storage/tables.ts';
import { type ReceivedMail, type ScriptedSmtp, startScriptedSmtp } from '../delivery/scripted-smtp.ts';
import { solveAltcha } from '../intake/checks/solve-altcha.ts';
import { type Random, seeded } from '../seeded.ts';
import { openTestServer, type TestServer } from '../server.ts';
import { until } from '../until.ts';

/** The long form: `ATTACK_SECONDS=600 bun test test/hostile/visitor-mails.test.ts`. */
const ATTACK_SECONDS = Number(process.env.ATTACK_SECONDS ?? 8);
const ATTACKERS = 50;
const FORMS = 6;
/** All together. */
const SUBMISSIONS_A_SECOND = 6;
const A_DAY_AND_FORM = 1;
const A_DAY = 3;

interface Form {
	id: string;
	slug: string;
	captcha: string | null;
	confirm: object | null;
	submissionCount: number;
	pendingCount: number;
}

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

/** Forms with an automatic response behind a captcha, with it behind a confirmation, and with a confirmation alone, in turn. */
async function makeForm(i: number): Promise<Form> {
	const mail = { field: 'email', subject: `Form ${i}`, text: 'Thank you.' };
	const ways = [{ captcha: 'altcha', autoresponder: mail }, { confirm: mail, autoresponder: mail }, { confirm: mail }];
	const json = { name: `Form ${i}`, spam: { threshold: null }, ...ways[i % ways.length] };
	return server.createForm(json);
}

const readForm = async ({ id }: Form) => (await server.call<Form>(`GET /api/forms/${id}`)).body;

async function attack({ slug, captcha }: Form, { email, from }: { email: string; from: string }): Promise<number> {
	const headers = { 'X-Forwarded-For': from, Accept: 'application/json' };
	if (captcha === null) return (await server.submit(slug, { email }, headers)).status;
	const challenge = await fetch(`${server.submitUrl}/f/${slug}/challenge`, { headers });
	const altcha = solveAltcha((await challenge.json()) as AltchaChallenge);
	return (await server.submit(slug, { email, altcha }, headers)).status;
}

const count = (...states: DeliveryRow['state'][]) =>
	server.app.storage.db.$count(deliveries, inArray(deliveries.state, states));

async function settled(): Promise<void> {
	await until(async () => (await count('waiting', 'sending')) === 0);
}

const linkIn = ({ content }: ReceivedMail) =>
	/http\S+\/confirm\/[\w.-]+/.exec(content.replaceAll('=\r\n', '').replaceAll('=3D', '='))?.[0];

test(`${ATTACK_SECONDS} s of ${ATTACKERS} attackers: at most ${A_DAY_AND_FORM} mail a day from a form, ${A_DAY} in all; a GET confirms nothing`, async () => {
	const forms = await Promise.all(Array.from({ length: FORMS }, (_, i) => makeForm(i)));
	const random = seeded(ATTACK_SECONDS);
	const statuses: number[] = [];
	const sent = new Map<Form, number>();
	const send = async (i: number, form = forms[random(FORMS)] as Form) => {
		sent.set(form, (sent.get(form) ?? 0) + 1);
		statuses.push(await attack(form, { email: victim(random), from: `11.0.${i % ATTACKERS}.1` }));
	};
	const links = () => peer.accepted.flatMap((mail) => linkIn(mail) ?? []);
	const opened: string[] = [];
	const open = async (i: number) => {
		const link = links()[i % links().length] as string;
		const response = await fetch(link, { headers: { 'X-Forwarded-For': `11.1.${i % ATTACKERS}.1` } });
		opened.push(`${response.status} ${(await response.text()).includes('<button>')}`);
	};
	const all = (form?: Form) => Promise.all(Array.from({ length: ATTACKERS }, (_, i) => send(i, form)));

	// All at once at one form of each kind of mail, then at all forms, then for as long as it lasts.
	const [responding, confirming] = forms as [Form, Form];
	for (const [i, form] of [responding, confirming].entries()) {
		await all(form);
		await settled();
		expect(peer.accepted.length).toBe((i + 1) * A_DAY_AND_FORM);
	}
	await all();
	for (let i = 0; i < ATTACK_SECONDS * SUBMISSIONS_A_SECOND; i++) {
		await Promise.all([send(i), open(i), Bun.sleep(1000 / SUBMISSIONS_A_SECOND)]);
	}
	await settled();
	const subjects = peer.accepted.map(({ content }) => /^Subject: (.*)\r$/m.exec(content)?.[1]);
	expect(new Set(statuses)).toEqual(new Set([200]));
	expect([await count('sent'), await count('withheld')]).toEqual([A_DAY, statuses.length - A_DAY]);
	expect(subjects.length).toBe(A_DAY);
	expect(new Set(subjects).size).toBe(A_DAY / A_DAY_AND_FORM);
	expect(new Set(opened)).toEqual(new Set(['200 true']));
	for (const [form, number] of sent) {
		const { submissionCount, pendingCount } = await readForm(form);
		expect([submissionCount, pendingCount]).toEqual(form.confirm ? [0, number] : [number, 0]);
	}

	// The button confirms, and the responses that come of it are beyond the bound as well.
	const confirmed = sent.get(confirming) as number;
	expect((await fetch(links()[0] as string, { method: 'POST' })).status).toBe(200);
	await settled();
	expect(await readForm(confirming)).toMatchObject({ submissionCount: confirmed, pendingCount: 0 });
	expect([await count('sent'), await count('withheld')]).toEqual([A_DAY, statuses.length - A_DAY + confirmed]);
	expect(peer.accepted.length).toBe(A_DAY);
	console.info(`${statuses.length} submissions, ${opened.length} links opened, ${subjects.length} mails`);
});
