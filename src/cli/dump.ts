/** `formsrv forms dump`: the settings of forms as a file that `formsrv apply` reads. */

import { DEFAULT_WEBHOOK } from '../delivery/webhooks/posting-settings.ts';
import type { Webhook } from '../delivery/webhooks/schema.ts';
import { DEFAULT_NOTIFICATION } from '../form-values/notification-rules.ts';
import { NEW_SETTINGS, SETTINGS_IN_FILE, shownSettings } from '../forms/check-settings.ts';
import type { Form } from '../forms/schema.ts';
import type { Lists } from '../spam/lists/schema.ts';
import { type Api, at, findForm } from './api.ts';
import type { Cli } from './cli.ts';
import type { CliCommand } from './command.ts';
import { runOnApi } from './run-on-api.ts';
import { type TomlValue, tomlKey, tomlTable } from './toml.ts';

type Members = Record<string, TomlValue>;
interface Dumped {
	settings: Members;
	webhooks: Members[];
	lists: Members;
}

export function addDump(forms: CliCommand, cli: Cli): void {
	const command = forms
		.command('dump')
		.description(
			'Print the settings of forms, with their webhooks and lists, as a file that "formsrv apply" reads. Values of headers and counts are not in it.',
		)
		.argument('[forms...]', 'Ids or slugs (default: all forms)')
		.examples('formsrv forms dump > forms.toml', 'formsrv forms dump contact-k3v9x2qm --json');
	runOnApi(command, { cli }, (options, names: string[]) => async (api) => {
		const all = names.length > 0 ? [] : (await api.get<{ forms: Form[] }>('/api/forms')).forms.toReversed();
		for (const name of names) all.push(await findForm(api, name));
		const dumped = new Map<string, Dumped>();
		for (const form of all) dumped.set(form.slug, await dump(api, form));
		if (options.json) {
			const forms = [...dumped].map(([slug, { settings, ...parts }]) => [slug, { ...settings, ...parts }]);
			return cli.printJson({ forms: Object.fromEntries(forms) });
		}
		cli.io.stdout.write([...dumped].map(([slug, form]) => inToml(slug, form)).join('\n') || '[forms]\n');
	});
}

function inToml(slug: string, { settings, webhooks, lists }: Dumped): string {
	const path = `forms.${tomlKey(slug)}`;
	const tables = [
		tomlTable(`[${path}]`, { ...settings, ...(webhooks.length === 0 && { webhooks }) }),
		...webhooks.map((webhook) => tomlTable(`[[${path}.webhooks]]`, webhook)),
		tomlTable(`[${path}.lists]`, lists),
	];
	return tables.join('\n');
}

async function dump(api: Api, form: Form): Promise<Dumped> {
	const path = at`/api/forms/${form.id}`;
	const { webhooks } = await api.get<{ webhooks: Webhook[] }>(`${path}/webhooks`);
	const lists = await api.get<Lists>(`${path}/lists`);
	return { settings: settingsOf(form), webhooks: webhooks.map(webhookOf), lists: { ...lists } };
}

function settingsOf(form: Form): Members {
	const blank = shownSettings(NEW_SETTINGS);
	const given = SETTINGS_IN_FILE.filter((name) => !Bun.deepEquals(form[name], blank[name]));
	const settings: Partial<Form> = Object.fromEntries(given.map((name) => [name, form[name]]));
	const { notification, spam } = settings;
	if (notification) {
		const { to: _to, ...rules } = notification;
		if (Bun.deepEquals(rules, DEFAULT_NOTIFICATION)) delete settings.notification;
		else settings.notification = rules;
	}
	return {
		...(withoutNull(settings) as Members),
		...(spam && { spam: { ...spam, threshold: spam.threshold ?? 'none' } }),
		...(form.files === null && { files: 'none' }),
		...(form.mode === 'test' && { mode: 'test' }),
	};
}

function webhookOf(webhook: Webhook): Members {
	const given = Object.entries(DEFAULT_WEBHOOK).filter(
		([name, value]) => !Bun.deepEquals(webhook[name as keyof typeof DEFAULT_WEBHOOK], value),
	);
	const { body, headers, ...others } = Object.fromEntries(
		given.map(([name]) => [name, webhook[name as keyof Webhook]]),
	);
	return {
		url: webhook.url,
		...(withoutNull(others) as Members),
		...(headers && { headers: Object.fromEntries(Object.keys(headers).map((name) => [name, 'none'])) }),
		...(body && { body: JSON.stringify(body) }),
	};
}

function withoutNull(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutNull);
	if (value === null || typeof value !== 'object') return value;
	const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
	return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}
