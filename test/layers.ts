/** The layers of `src/`, from the top: a unit uses only units of lower layers. */

interface Layer {
	units: readonly string[];
	holds: string;
}

export const LAYERS: readonly Layer[] = [
	{ units: ['main'], holds: 'the process' },
	{ units: ['cli'], holds: 'commands' },
	{ units: ['server'], holds: 'both listeners, their handlers, the work behind them' },
	{ units: ['app'], holds: 'composition root: opens everything' },
	{ units: ['dashboard'], holds: 'browser program, its sessions and events' },
	{ units: ['alerts', 'intake', 'submissions'], holds: 'accepts submissions; the inbox of the owner' },
	{ units: ['forms', 'keys', 'delivery', 'backup', 'audit'], holds: 'any routes.ts may use keys/auth.ts' },
	{ units: ['files', 'spam'], holds: 'bytes of attached files; the spam score' },
	{ units: ['http', 'storage'], holds: 'shared by all routes; the storage contract and its engines' },
	{ units: ['field-rules'], holds: 'checks of fields' },
	{ units: ['assets', 'config', 'log', 'tasks'], holds: 'settings in force; timers, chunks, budgets' },
	{ units: ['form-values', 'network'], holds: 'captchas, rules for files, spam and visitors; addresses' },
	{ units: ['errors', 'events', 'ids', 'metrics', 'text'], holds: 'leaves' },
	{ units: ['languages'], holds: 'sentences for visitors and mails, in every language' },
];

/** The layers as docs/architecture.md shows them. */
export function drawLayers(): string {
	const lines = LAYERS.map(({ units, holds }) => `${units.join('  ').padEnd(44)}${holds}`);
	return lines.join('\n');
}
