/** The guides as the binary has them: for programs, with links that lead to each other. */

import { join, normalize } from 'node:path';

/** Each guide of `docs/` with what it is about; docs/architecture.md and docs/decisions are for those who change the program. */
export const GUIDES: Readonly<Record<string, string>> = {
	'README.md': 'What formsrv is, how to install it, and forms in HTML and JavaScript.',
	'docs/api.md': 'Keys, permissions, forms, submissions, the submission endpoint, errors and limits.',
	'docs/browser-script.md': '`/formsrv.js`, which sends a form without leaving the page.',
	'docs/fields.md': 'Rules for the fields of a form.',
	'docs/files.md': 'Files that visitors attach: rules, where they lie, virus scanner, downloads.',
	'docs/captcha.md': 'Captchas: ALTCHA, reCAPTCHA, hCaptcha, Turnstile.',
	'docs/spam.md': 'How spam is found, lists, and what marks teach.',
	'docs/spam-figures.md': 'What the spam score finds, in figures.',
	'docs/languages.md': 'The languages of visitors, and the pages that they see.',
	'docs/mail.md': 'Mails of submissions: recipients, content, mail server.',
	'docs/webhooks.md': 'Webhooks: events, signatures, chats, JSON of your own.',
	'docs/mcp.md': 'Agents: the Model Context Protocol at `/mcp`, its tools and their keys.',
	'docs/command-line.md': 'Commands on this machine and, with `--server`, on a server elsewhere.',
	'docs/forms-as-code.md': 'Forms in a file: `formsrv apply` and `formsrv forms dump`.',
	'docs/migrating.md': 'Moving in from another form service.',
	'docs/people.md': 'Colleagues in the dashboard: members, single sign-on, the header of a proxy.',
	'docs/settings.md': 'All settings of the server.',
	'docs/operating.md': 'Proxy, systemd, Docker, backup, upgrade, privacy, troubleshooting.',
	'docs/postgresql.md': 'PostgreSQL in place of SQLite.',
	'docs/scaling.md': 'Several servers on one PostgreSQL.',
	'docs/reliability.md': 'What is promised of an acknowledged submission, and how it is tried.',
	'docs/performance.md': 'How fast it is, and how that was measured.',
};

const nameOf = (path: string) => path.replace(/^docs\//, '');

/** A guide with its links as they are under `/docs/`; of what is not there only the words stay. */
export function servedGuide(path: string, text: string): string {
	return text.replace(/\[([^\]]+)\]\((?!https?:|#)([^)#\s]*)(#[^)\s]*)?\)/g, (_, words, target, anchor = '') => {
		const linked = normalize(join(path, '..', target));
		return linked in GUIDES ? `[${words}](${nameOf(linked)}${anchor})` : words;
	});
}

/** The list of all, https://llmstxt.org, with addresses below that of the server. */
function listOfGuides(): string {
	const lines = Object.entries(GUIDES).map(([path, about]) => `- [${nameOf(path)}](/docs/${nameOf(path)}): ${about}`);
	return `# formsrv

> A self-hosted form backend: websites post their forms to it; owners read the submissions in the dashboard, by a JSON API or on the command line.

## Guides

${lines.join('\n')}

## API

- [openapi.json](/api/openapi.json): every operation, field and error of this server, as OpenAPI 3.1.
- [mcp](/mcp): the same for agents, by the Model Context Protocol, with a key.
`;
}

/** The files to serve, by name. */
export async function guideFiles(root: string): Promise<[name: string, text: string][]> {
	const guides = Object.keys(GUIDES).map(
		async (path): Promise<[string, string]> => [
			nameOf(path),
			servedGuide(path, await Bun.file(join(root, path)).text()),
		],
	);
	return [['llms.txt', listOfGuides()], ...(await Promise.all(guides))];
}
