/** The API of a server elsewhere, as `--server` and `--key-file` name it. */

import { FILE_MAX } from '../config/bounded-file.ts';
import { KEY_FILE } from '../config/sources.ts';
import { AppError, ERROR_STATUS } from '../errors.ts';
import type { ErrorEnvelope } from '../http/error-responses.ts';
import { isToken } from '../keys/token.ts';
import { open, readBeginning } from '../network/bounded-response.ts';
import { pulled } from '../tasks/pulled-stream.ts';
import { membersIn } from '../text/members-in.ts';
import { type Api, type Call, createApi } from './api.ts';
import { CommandError, type Io, type Options } from './cli.ts';
import { readNamedFile } from './named-file.ts';

const SECOND_MS = 1000;
/** How long it may say nothing. A change of many submissions may take longer than a read. */
const SILENT_MS: Record<Call['method'], number> = {
	GET: 60 * SECOND_MS,
	POST: 300 * SECOND_MS,
	PATCH: 300 * SECOND_MS,
	DELETE: 60 * SECOND_MS,
};
/** Longer than any response but an export, which no command asks for elsewhere. */
const MAX_BYTES = 512 * 2 ** 20;
/** The longest wait for a rate limit. */
const WAIT_MS = 60 * SECOND_MS;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** A key, whatever stands before it. */
const KEY_WITHIN = /(?:sk_live|sk_test|fk|tt)_[0-9A-Za-z]{8}/;
/** The runtime's advice to programmers. */
const ADVICE = / (?:Is the computer able|Does the server speak|For more information)\b.*/s;
const NOT_TRUSTED = /CERT|SIGNATURE|TLS|SSL/;

/** @throws CommandError for an address or key file that cannot be used; it never holds the key */
export function openRemote(options: Options, { env, cwd }: Io) {
	const server = serverOf(options, env);
	const key = keyOf(options, { env, cwd });
	/** Whatever the status. @throws CommandError if there is no response */
	return { server, key, request: (call: Call) => request(call, { server, key }) };
}

/** @throws CommandError as `openRemote` does */
export function remoteApi(options: Options, io: Io): Api {
	const { server, key, request } = openRemote(options, io);
	const [, keyMode] = /^sk_(live|test)_/.exec(key) ?? [];
	return createApi(async (call) => {
		if (call.mode !== undefined && keyMode !== undefined && call.mode !== keyMode)
			throw new CommandError(`The key is a ${keyMode} key, which is for ${keyMode} forms only.`, 2);
		for (let isFirst = true; ; isFirst = false) {
			const response = await request(call);
			if (response.ok && !isOurs(response)) throw otherProgram(response, server);
			if (response.ok) return response;
			const waitMs = Number(response.headers.get('retry-after') ?? Number.NaN) * SECOND_MS;
			if (response.status !== 429 || !isFirst || !(waitMs <= WAIT_MS))
				throw await errorOf(response, { server, path: call.path });
			io.stderr.write(
				`The server takes no more requests of this key for ${waitMs / SECOND_MS} seconds; it goes on then.\n`,
			);
			await Bun.sleep(waitMs);
		}
	});
}

async function request(
	{ method, path, body, headers }: Call,
	{ server, key }: { server: string; key: string },
): Promise<Response> {
	const silence = new AbortController();
	const limit = SILENT_MS[method];
	const timer = setTimeout(() => silence.abort(), limit);
	let hasResponse = false;
	const lost = (error: unknown) => {
		const { code = '', message } = error as NodeJS.ErrnoException;
		if (error instanceof CommandError) return error;
		const maybe = method === 'GET' ? '' : ' It may have done it, or still be doing it.';
		if (silence.signal.aborted)
			return new CommandError(`${server} said nothing for ${limit / SECOND_MS} seconds.${maybe}`);
		if (NOT_TRUSTED.test(code))
			return new CommandError(`The certificate of ${server} is not trusted here: ${message}.`);
		const reason = message.replace(ADVICE, '').replace(/\.$/, '');
		return new CommandError(`${server} cannot be reached: ${reason}.${maybe}`);
	};
	try {
		const {
			status,
			headers: received,
			body: chunks,
		} = await open(`${server}${path}`, {
			method,
			headers: {
				Authorization: `Bearer ${key}`,
				Accept: 'application/json',
				'Accept-Encoding': 'identity',
				...(body !== undefined && { 'Content-Type': 'application/json' }),
				...headers,
			},
			...(body !== undefined && {
				body: typeof body === 'string' ? body : pulled(sent(await body())),
			}),
			signal: silence.signal,
		});
		hasResponse = true;
		return new Response(streamOf(watched()), { status, headers: received });

		async function* sent(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
			for await (const chunk of stream) {
				// The response may come before the end.
				if (!hasResponse) timer.refresh();
				yield chunk;
			}
		}

		async function* watched() {
			let bytes = 0;
			try {
				for await (const chunk of chunks ?? []) {
					timer.refresh();
					bytes += chunk.length;
					if (bytes > MAX_BYTES) throw new CommandError(`${server} sends more than ${MAX_BYTES / 2 ** 20} MiB.`);
					yield chunk;
				}
			} catch (error) {
				throw lost(error);
			} finally {
				clearTimeout(timer);
			}
		}
	} catch (error) {
		clearTimeout(timer);
		throw lost(error);
	}
}

const streamOf = (chunks: AsyncIterable<Uint8Array>) => chunks as unknown as ReadableStream<Uint8Array>;

/** Others answer with JSON too, whatever they are asked for: what they did would be said to be done. */
const isOurs = ({ headers }: Response) =>
	/^application\/json\b/i.test(headers.get('content-type') ?? '') && headers.has('x-request-id');

const otherProgram = ({ status }: Response, server: string) =>
	new CommandError(`${server} is not the base address of a formsrv: it returned status ${status}.`);

async function errorOf(response: Response, { server, path }: { server: string; path: string }): Promise<Error> {
	const { status, headers } = response;
	const to = URL.parse(headers.get('location') ?? '', server)?.href;
	if (status >= 300 && status < 400 && to !== undefined)
		return new CommandError(`${server} leads to ${to.replace(path, '')}: name that address.`);
	const { code, error, errors }: Partial<ErrorEnvelope> = membersIn(await readBeginning(response));
	if (typeof error !== 'string' || code === undefined || !(code in ERROR_STATUS)) return otherProgram(response, server);
	if (status === 401)
		return new CommandError(`${server} does not take the key: it was revoked, has expired, or is of another server.`);
	return new AppError(code, error, Array.isArray(errors) ? { fields: errors } : undefined);
}

/** `fetch` asks the proxy for this machine's own addresses too. */
function isProxied(hostname: string, env: Io['env']): boolean {
	const passed = (env.no_proxy ?? env.NO_PROXY ?? '').split(',').map((name) => name.trim());
	return (env.http_proxy ?? env.HTTP_PROXY ?? '') !== '' && !passed.includes('*') && !passed.includes(hostname);
}

function serverOf({ server, insecure }: Options, env: Io['env']): string {
	const url = URL.parse(String(server));
	if (
		!url ||
		!/^https?:$/.test(url.protocol) ||
		`${url.username}${url.password}` !== '' ||
		/\/(?:api|mcp)\/?$/.test(url.pathname) ||
		url.search !== '' ||
		url.hash !== ''
	)
		throw new CommandError('--server must be the base address of a server, such as https://forms.example.com.', 2);
	if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && insecure !== true)
		throw new CommandError(
			`${url.origin} is not encrypted: others could read the key. Use https, or add --insecure.`,
			2,
		);
	if (url.protocol === 'http:' && insecure !== true && isProxied(url.hostname, env))
		throw new CommandError(`HTTP_PROXY would get the key: add ${url.hostname} to NO_PROXY.`, 2);
	return `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

function keyOf({ keyFile }: Options, { env, cwd }: Pick<Io, 'env' | 'cwd'>): string {
	const file = String(keyFile ?? env[KEY_FILE] ?? '');
	if (file === '') throw new CommandError('Name the file with the API key: --key-file, or FORMSRV_KEY_FILE.', 2);
	if (KEY_WITHIN.test(file)) throw new CommandError('Name the file that holds the API key, not the key itself.', 2);
	const key = readNamedFile(file, cwd, FILE_MAX.settings).trim();
	if (isToken(key)) return key;
	throw new CommandError(`${file} does not hold an API key alone, as "formsrv keys create" prints it.`, 2);
}
